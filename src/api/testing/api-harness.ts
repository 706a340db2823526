import type { SpoolWriter } from '../../spool/writer.ts';
import { takeInto } from '../../intake/testing/take-into.ts';
import type { z } from 'zod';
import type { Hono } from 'hono';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import { makeCipher } from '../../auth/sealing.ts';
import { makeChannelStore } from '../../events/channels/stored-channels.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { type CoreRig, type IngestRig, openOnRig, SpoolRig } from '../../ingest/testing/ingest-harness.ts';
import { DeclaredNames } from '../../metadata/organization/declared-names.ts';
import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import { readRetention, setRetention } from '../../metadata/organization/retention.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import type { HealthFiguresInTime } from '../../contract/health.ts';
import { keyPermissions, type KeyPermissions } from '../../model/principal.ts';
import { failureOfStatus } from '../../model/record/failure.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { empty } from '../../query/testing/query-harness.ts';
import { rowsOf } from '../../store/insert/rows.ts';
import { fieldsOfLine, type LineFields } from '../../ingest/imports/read-item.ts';
import { RunningErasures } from '../../ingest/changes/erasures.ts';
import { freshUntil, inFlightIn } from '../../ingest/fresh-until.ts';
import { openAudit } from '../../audit/open.ts';
import { AlertDefinitions } from '../../alerts/definitions.ts';
import { alertFamilies } from '../../alerts/metrics.ts';
import { openAlerts } from '../../alerts/open.ts';
import { makeImports } from '../../ingest/imports/open.ts';
import { BulkJobs } from '../../jobs/bulk/bulk-jobs.ts';
import { makeModelRegistry } from '../../pricing/held/model-registry.ts';
import { makePricePorts } from '../../jobs/request-costs.ts';
import { makeStoredPrices } from '../../pricing/held/stored-prices.ts';
import { makeOrganizationPriceLookUp } from '../../metadata/organization/prices.ts';
import { bookWithoutOperator } from '../../pricing/layers/books.ts';
import { systemClock } from '../../platform/clock.ts';
import { Meter } from '../../platform/metrics/meter.ts';
import { openWebhookScene } from '../../events/webhooks/testing/webhook-scene.ts';
import { ResponseMemory } from '../http/response-memory.ts';
import { type Config, loadConfig } from '../../config/load.ts';
import { createApi } from '../app.ts';
import { apiPortsOf } from '../open.ts';
import { Streams } from '../stream/streams.ts';
import { apiFamilies } from '../latency.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

const baseUrl = (): string => 'https://gatelog.example.com';
const regions = { region: 'us', regions: { eu: 'https://eu.example.com' } };
export const bodyMaxBytes = 64 * 1024;
export const queryPath = '/v1/request/query-clickhouse';
export const propertyPath = (id: string): string => `/v1/request/${id}/property`;
export const scorePath = (id: string): string => `/v1/request/${id}/score`;
export const feedbackPath = (id: string): string => `/v1/request/${id}/feedback`;
export const changesPath = (id: string): string => `/v1/request/${id}/changes`;
export const keyOf = (permissions: KeyPermissions): string => `sk-svc-us-${permissions}`;

export interface Call {
  /** Absent: a key that may read and update. */
  readonly key?: string | null;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Another API than that of the rig. */
  readonly api?: Hono;
}

/** The real API over a real store with one stored request, one in flight and one of another organisation. */
export interface ApiRig {
  readonly api: Hono;
  readonly stored: RequestId;
  readonly inFlight: RequestId;
  readonly foreign: RequestId;
  readonly observations: Observation[];
  readonly run: ApiPorts['run'];
  readonly sessions: ApiPorts['sessions'];
  readonly organizationId: OrganizationId;
  readonly ports: ApiPorts;
  readonly database: IngestRig['database'];
  /** Stores records of the organisation of which nothing else is known. */
  readonly insert: (records: readonly Partial<RequestRecord>[]) => Promise<void>;
  readonly call: (method: string, path: string, given?: Call) => Promise<Response>;
  /** Makes a key of the organisation under this identifier. */
  readonly addKey: (id: string) => Promise<void>;
  /** The same API with other ports. */
  readonly withPorts: (given: Partial<ApiPorts>) => Hono;
  readonly close: () => Promise<void>;
}

/** @param further stored requests without tags. @param settings beside those of every test of the API. */
export function openApiRig(further = 0, settings: Readonly<Record<string, string>> = {}): Promise<ApiRig> {
  return openOnRig((rig) => openApiOver(rig, further, settings));
}

async function openApiOver(rig: IngestRig, further: number, settings: Readonly<Record<string, string>>): Promise<ApiRig> {
  const spool = new SpoolRig(rig);
  await rig.database.queries.insertInto('organizations').values({ id: spool.organizationId, name: 'ours', created_at: 0 }).execute();
  const written = await writeExchanges(rig, spool, further);
  const observations: Observation[] = [];
  const ports = await portsOver(rig, spool, observations, { settings });
  const api = createApi(ports, () => ({ openapi: '3.1.0' }));
  return {
    api,
    ...written,
    observations,
    run: ports.run,
    sessions: ports.sessions,
    organizationId: spool.organizationId,
    ports,
    database: rig.database,
    insert: (records) => insertRecords(rig, spool.organizationId, records),
    call: (method, path, given = {}) => callApi(given.api ?? api, { method, path }, given),
    addKey: (id) => addKey(rig, spool.organizationId, id),
    withPorts: (given) => createApi({ ...ports, ...given }, () => ({})),
    close: () => rig.close(),
  };
}

async function addKey({ database }: IngestRig, organizationId: OrganizationId, id: string): Promise<void> {
  const key = { id, organization_id: organizationId, name: 'key', key_hash: id, prefix: 'sk', permissions: 'rw', created_at: 0 } as const;
  await database.queries
    .insertInto('api_keys')
    .values({ ...key, revoked_at: null })
    .execute();
}

let inserts = 0;

async function insertRecords(rig: IngestRig, organizationId: OrganizationId, records: readonly Partial<RequestRecord>[]): Promise<void> {
  inserts += 1;
  const rows = records.map((record) =>
    rowsOf({ ...empty, failure: failureOfStatus(record.status ?? 200), organizationId, ...record }, Date.now()),
  );
  await rig.store.insert(
    'bodies',
    rows.map(({ bodies }) => bodies),
    `inserted-${inserts}-bodies`,
  );
  await rig.store.insert(
    'requests',
    rows.map(({ request }) => request),
    `inserted-${inserts}-requests`,
  );
}

async function writeExchanges(rig: IngestRig, spool: SpoolRig, further: number): Promise<Pick<ApiRig, 'stored' | 'inFlight' | 'foreign'>> {
  const writer = spool.openWriter();
  const tags = {
    properties: [
      { name: 'Environment', value: 'production' },
      { name: '__proto__', value: 'p' },
    ],
    userId: 'u',
    promptInputs: { a: 'b' },
  };
  const stored = await spool.write(writer, { open: { tags } });
  for (let count = 0; count < further; count += 1) await spool.write(writer);
  const foreign = await spool.write(writer, { open: { organizationId: new SpoolRig(rig).organizationId } });
  await spool.drainAll();
  return {
    stored,
    foreign,
    inFlight: await spool.write(writer, { open: { tags: { properties: [], sessionId: 'on its way' } }, end: null }),
  };
}

/** Logs go into a series of their own; no spans are taken. */
function takersOver(spool: SpoolRig): Pick<ApiPorts, 'takeLog' | 'takeSpans'> {
  let writer: SpoolWriter | undefined;
  return {
    takeLog: takeInto(() => (writer ??= spool.openWriter())),
    takeSpans: async () => ({ status: 503, contentType: 'application/json', body: Buffer.from('{}') }),
  };
}

/** In this thread: the other one runs the built program. */
export async function readLarge(_organizationId: OrganizationId, line: Buffer): Promise<LineFields> {
  return fieldsOfLine(line);
}

interface GivenPorts {
  /** Absent: one that stores nothing. */
  readonly core?: Omit<CoreRig, 'pendingChanges'>;
  /** Beside those of every test of the API. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The ports of an API over one spool. */
export async function portsOver(
  rig: IngestRig,
  spool: SpoolRig,
  observations: Observation[],
  { core, settings = {} }: GivenPorts = {},
): Promise<ApiPorts> {
  const { database, store, folder } = rig;
  const { drain, changer, sessions } = core ?? (await spool.openCore());
  const observe = (observation: Observation): void => void observations.push(observation);
  const lookUp = makeOrganizationPriceLookUp(database);
  const prices = { book: bookWithoutOperator, stored: makeStoredPrices({ lookUp, monotonic: systemClock.monotonic, observe }) };
  const retention: ApiPorts['retention'] = {
    deploymentDays: 365,
    read: (organizationId) => readRetention(database, organizationId),
    set: (organizationId, days) => setRetention(database, { organizationId, days, at: Date.now() }),
  };
  const imported = { spoolFolder: spool.folder, store, drain, running: new RunningErasures(), retention, changer };
  const ports = apiPortsOf({
    ...wellService,
    ...takersOver(spool),
    ...(await eventsOver(rig)),
    audit: await openAudit({ dataDir: folder, auditDays: 400 }, systemClock.now, observe),
    config: configIn(folder, settings),
    database,
    store,
    observe,
    meter: new Meter(apiFamilies),
    answerMemory: new ResponseMemory({ maxBytes: 512 * 1024 * 1024, maxWaitMs: 10_000 }),
    streams: new Streams({
      order: { through: 0, watch: () => () => undefined },
      max: 100,
      aliveMs: 15_000,
      monotonic: systemClock.monotonic,
    }),
    ingest: {
      changer,
      sessions,
      declaredNames: new DeclaredNames(database, systemClock),
      redactionRules: new RedactionRules(database, systemClock),
      inFlightOf: inFlightIn(drain),
      freshUntil: () => freshUntil(drain, systemClock.now),
      oldestUnstored: () => Promise.resolve(undefined),
    },
    jobs: {
      bulk: new BulkJobs({ database, store, drain, changer, observe: () => undefined }),
      imports: makeImports({ ...imported, readLarge }),
      prices: makePricePorts({ database, store, changer, prices }),
      removals: {
        retentionPorts: retention,
        erasurePorts: { erase: () => Promise.resolve(undefined), acknowledge: () => Promise.resolve() },
      },
    },
  });
  return {
    ...ports,
    site: { addresses: { gateway: undefined, api: undefined }, basePath: '', file: () => undefined },
    ...knownKeys(ports, spool),
  };
}

/** The keys of {@link keyOf}, beside those that are stored. */
function knownKeys(ports: ApiPorts, { principal }: SpoolRig): Pick<ApiPorts, 'verifyKey'> {
  return {
    verifyKey: (keyHash) => {
      const permissions = keyPermissions.find((candidate) => hashKey(keyOf(candidate)) === keyHash);
      return permissions === undefined ? ports.verifyKey(keyHash) : { ...principal, permissions };
    },
  };
}

/** Webhooks, and rules that alert, which nothing evaluates. */
async function eventsOver({ database, store, folder }: IngestRig) {
  const scene = await openWebhookScene({ database, folder });
  const definitions = await AlertDefinitions.open(database);
  const { alerts } = await openAlerts(
    {
      definitions,
      events: scene.events,
      webhooks: scene.definitions,
      store,
      meter: new Meter(alertFamilies),
      observe: () => undefined,
      clock: systemClock,
      intervalMs: 10_000,
      groupsMaxBytes: 32 * 1024 * 1024,
    },
    {
      channels: makeChannelStore({
        cipher: makeCipher(Buffer.alloc(32, 1), 'channels'),
        guard: makeTargetGuard(makeAllowList([])),
        webhookOf: (organizationId, wanted) =>
          scene.definitions.of(organizationId).find(({ id, name }) => ('id' in wanted ? id === wanted.id : name === wanted.name))?.id,
        mail: { domains: [], maxRecipients: 20, maxPerHour: 300 },
        channelsOf: (organizationId) => definitions.of(organizationId).flatMap(({ channels }) => channels),
        newId: v7,
      }),
      outbox: scene.outbox,
      baseUrl,
    },
  );
  return { webhooks: scene.webhooks, alerts };
}

/** Figures of a service in which nothing waits. */
const wellFigures: HealthFiguresInTime = {
  measured_at: '2026-01-31T12:00:00.000Z',
  spool: { bytes: 0, max_bytes: 1024, exchanges_open: 0, exchanges_waiting: 0, oldest_waiting_ms: 0 },
  prices: { list: 'a list 1.0.0', list_published: '2026-09-23', list_age_days: 65, calls_today: 0, unpriced_today: 0 },
  ingest: { draining: true, failed_batches: 0 },
  unrecorded_calls: null,
  dead_letters: { kept: 0, bytes: 0, max_bytes: 1024, added: 0, removed: 0 },
  store: { damaged_parts: 0, lost_parts: 0, bodies_to_move: 0, statements_waiting: 0 },
  disk: { free_bytes: 2048, size_bytes: 4096, spare_bytes: 1024, remote: null },
  clock_jumps: 0,
  deliveries: { pending: null, overdue_ms: null, behind_ms: 0 },
  restarts: null,
  history: {
    step_ms: 10_000,
    at: [],
    requests_per_second: [],
    visible_delay_p95_ms: [],
    gateway_latency_p95_ms: [],
    spool_bytes: [],
    memory_bytes: [],
  },
};

/** What needs neither a store nor a spool. */
const wellService = {
  version: '0.0.0',
  baseUrl,
  models: (_organizationId: OrganizationId, storedProviders: ReadonlySet<string>) =>
    ['echo', ...storedProviders].map((name) => ({ id: `${name}/m`, object: 'model' as const, created: 0, owned_by: name })),
  modelRegistry: makeModelRegistry(bookWithoutOperator, Date.now),
  health: () => Promise.resolve({ failing: [], degraded: [] }),
  metrics: { key: undefined, page: () => Promise.resolve(''), figures: () => Promise.resolve(wellFigures) },
};

/** What tests of the API set; the rest is as it is without settings. */
function configIn(dataDir: string, settings: Readonly<Record<string, string>>): Config {
  const loaded = loadConfig({
    ...settings,
    GATELOG_DATA_DIR: dataDir,
    GATELOG_REGION: regions.region,
    GATELOG_REGIONS: Object.entries(regions.regions)
      .map(([name, address]) => `${name}=${address}`)
      .join(','),
    GATELOG_SECRET_KEY: 'of-tests-of-no-deployment-32-characters',
  });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  return { ...loaded.config, apiBodyMaxBytes: bodyMaxBytes, corsOrigins: [], authFailuresPerMinute: 0 };
}

/** Calls an API as a client does. */
export async function callApi(
  api: Hono,
  { method, path }: { readonly method: string; readonly path: string },
  given: Call,
): Promise<Response> {
  const headers = new Headers({ 'content-type': 'application/json', ...given.headers });
  if (given.key !== null) headers.set('authorization', `Bearer ${given.key ?? keyOf('rw')}`);
  const text = given.text ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
  return api.request(path, {
    method,
    headers,
    ...(text === undefined ? {} : { body: text }),
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  });
}

/** The body of an answer without its warnings, after a check that it is what its schema says and holds nothing more. */
export async function checked<Schema extends z.ZodType>(response: Response, status: number, schema: Schema): Promise<z.output<Schema>> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(text.indexOf('\n')).toBe(text.length - 1);
  // TRICKY: zod leaves the name `__proto__` out, which is a property name like any other.
  const comparable = withoutWarnings(JSON.parse(text, (name, value: unknown) => (name === '__proto__' ? undefined : value)));
  expect(comparable).toEqual(schema.parse(comparable));
  return withoutWarnings(JSON.parse(text)) as z.output<Schema>;
}

/** Every envelope may have warnings, and none is empty. */
function withoutWarnings(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('warnings' in answer)) return answer;
  const { warnings, ...rest } = answer;
  expect(warnings).toEqual(expect.arrayContaining([expect.stringMatching(/./)]));
  return rest;
}
