import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashKey } from '../../auth/api-key.ts';
import { type Config, loadConfig } from '../../config/load.ts';
import { assembleExchange, type PayloadFrame } from '../../ingest/interpret/assemble.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { takeInto } from '../../intake/testing/take-into.ts';
import { type MetadataDatabase, openMetadata } from '../../metadata/database.ts';
import { metadataFileName } from '../../metadata/metadata-file.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Exchange } from '../../model/record/exchange.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { zeroMoney } from '../../model/pricing/money.ts';
import type { Observation } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ListenerAddresses } from '../../platform/http/front-page.ts';
import { Meter } from '../../platform/metrics/meter.ts';
import { emptyLog } from '../../platform/sqlite/database.ts';
import { readPayloads } from '../../spool/payload-reader.ts';
import { SeriesReader } from '../../spool/reader.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import { openSpoolWriter, type SpoolWriter } from '../../spool/writer.ts';
import { openGateway } from '../open.ts';
import { unpackShape } from '../bodies/shape.ts';
import { runTask } from '../bodies/thread/jobs.ts';
import type { ForwardLimits, ForwardPorts } from '../call/ports.ts';
import { responseOfEcho } from '../builtin/echo.ts';
import { gatewayFamilies } from '../observation/metrics.ts';
import { makeProviderTable, type ProviderOverride } from '../routing/provider-table.ts';
import { ourKey, soon, until } from './raw-http.ts';

/** Resolves every name to this machine. */
export const toThisMachine: LookupFunction = (_hostname, { all }, callback) => {
  if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

export const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;

export const principal: Principal = { organizationId, keyId: 'key-1', keyHash: hashKey(ourKey), permissions: 'rw' };

/** A real spool whose word that something is written the test can hold back. */
export interface HeldSpool {
  readonly writer: SpoolWriter;
  readonly hold: () => void;
  readonly release: () => void;
  /** Passes on the oldest word that is held, as the writer's or as a failure. */
  readonly releaseOne: (written: boolean) => void;
  /** Callbacks that wait for the release. */
  readonly waiting: () => number;
}

function holdable(writer: SpoolWriter): HeldSpool {
  let holding = false;
  let kept: { settled: WriteCallback; written: boolean }[] = [];
  const whenWritten = (stream: number, settled: WriteCallback): void => {
    // Later words never overtake earlier ones, as in the writer itself.
    writer.whenWritten(stream, (written) => {
      if (holding || kept.length > 0) kept.push({ settled, written });
      else settled(written);
    });
  };
  return {
    writer: { ...writer, whenWritten },
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      const words = kept;
      kept = [];
      for (const { settled, written } of words) settled(written);
    },
    releaseOne: (written) => kept.shift()?.settled(written),
    waiting: () => kept.length,
  };
}

/** A gateway on a real port, with a real spool in a temporary folder and real connections to providers. */
export interface Rig {
  readonly port: number;
  readonly spool: HeldSpool;
  readonly ports: ForwardPorts;
  readonly observed: readonly Observation[];
  /** Waits until so many exchanges have ended in the spool and gives all of them, in the order of their beginning. */
  readonly exchanges: (ended: number) => Promise<readonly Exchange[]>;
  /** The exchanges in the spool now, ended or not. */
  readonly spooled: () => readonly Exchange[];
  readonly close: () => Promise<void>;
}

export interface RigOptions {
  readonly providers?: Readonly<Record<string, ProviderOverride>>;
  /** Addresses that callers may name. */
  readonly allowed?: readonly string[];
  /** How names that callers chose are resolved. */
  readonly resolve?: LookupFunction;
  readonly limits?: Partial<ForwardLimits>;
  readonly ports?: Partial<ForwardPorts>;
  readonly headerMaxBytes?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxCalls?: number;
  readonly addresses?: ListenerAddresses;
  readonly organizationSharePercent?: number;
  /** Origins of pages that may call. */
  readonly corsOrigins?: readonly string[];
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-gateway-'));
  const failures: Error[] = [];
  const writer = openWriter(folder, (error) => failures.push(error));
  const spool = holdable(writer);
  const observed: Observation[] = [];
  const database = await openDatabase(folder);
  const config = configIn(folder, options);
  const gateway = openGateway(
    {
      config,
      observe: (observation) => observed.push(observation),
      logCall: undefined,
      meter: new Meter(gatewayFamilies),
      database,
      series: { spool: { of: () => spool.writer }, space: roomySpool, hasSpaceFor: () => true },
      state: { open: noState },
      takers: takersInto(spool.writer),
      pricing: { knownModels: () => [], makerOf: () => undefined, estimateCost: () => zeroMoney, readUser: () => '' },
      core: { address: () => undefined, degradedParts: async () => [] },
      addresses: options.addresses ?? { gateway: undefined, api: undefined },
    },
    { largeBodies: readInTurn, ...routesTo(config, options.resolve), ...options.ports },
  );
  const address = await gateway.listen();
  const spooled = (): readonly Exchange[] => readExchanges(path.join(folder, series));
  return {
    port: Number(new URL(address).port),
    spool,
    ports: gateway.ports,
    observed,
    spooled,
    exchanges: async (ended) => {
      await until(() => spooled().filter(({ end }) => end !== undefined).length >= ended);
      return spooled();
    },
    close: async () => {
      spool.release();
      await gateway.stop({ maxMs: 0, cut: AbortSignal.abort() });
      await gateway.close();
      await writer.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
      if (failures[0] !== undefined) throw failures[0];
    },
  };
}

const series = 'series-1';

const roomySpool = { hasFreeSpace: () => true, hasSpaceForParts: () => true, usedBytes: () => 0 };

function openWriter(folder: string, onFailure: (error: Error) => void): SpoolWriter {
  return openSpoolWriter({
    folder,
    series,
    segmentMaxBytes: 1024 * 1024 * 1024,
    segmentMaxMs: 3_600_000,
    sync: 'interval',
    syncIntervalMs: 1000,
    onFailure,
    monotonic: systemClock.monotonic,
  });
}

/** No spans are taken. */
function takersInto(writer: SpoolWriter): Pick<ForwardPorts, 'takeLog' | 'takeSpans'> {
  const refused = { status: 503, contentType: 'application/json', body: Buffer.from('{}') };
  return { takeLog: takeInto(() => writer), takeSpans: async () => refused };
}

let metadataFile: Promise<Buffer> | undefined;

/** A database of its own for each gateway; its tables are made once. */
async function openDatabase(folder: string): Promise<MetadataDatabase> {
  metadataFile ??= makeMetadata();
  writeFileSync(path.join(folder, metadataFileName), await metadataFile);
  return openMetadata(folder, 'gateway');
}

/** The file of a database with {@link principal}. */
async function makeMetadata(): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-metadata-'));
  const database = await openMigratedMetadata(folder, 'core', systemClock.now);
  const { keyId, keyHash, permissions } = principal;
  await database.queries.insertInto('organizations').values({ id: organizationId, name: 'ours', created_at: 0 }).execute();
  await database.queries
    .insertInto('api_keys')
    .values({
      id: keyId,
      organization_id: organizationId,
      name: 'key',
      key_hash: keyHash,
      prefix: 'sk',
      permissions,
      created_at: 0,
      revoked_at: null,
    })
    .execute();
  await emptyLog(database);
  await database.close();
  const file = readFileSync(path.join(folder, metadataFileName));
  rmSync(folder, { recursive: true });
  return file;
}

const mebi = 1024 * 1024;

let settings: Config | undefined;

/** As it is without settings. */
function unset(): Config {
  if (settings !== undefined) return settings;
  const loaded = loadConfig({ GATELOG_SECRET_KEY: 'of-tests-of-no-deployment-32-characters' });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  settings = loaded.config;
  return settings;
}

function configIn(dataDir: string, options: RigOptions): Config {
  return {
    ...unset(),
    dataDir,
    gatewayPort: 0,
    providers: options.providers ?? {},
    targetAllowlist: options.allowed ?? [],
    headerMaxBytes: options.headerMaxBytes ?? 640 * 1024,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    clientConnections: options.maxConnections ?? 1000,
    callsInFlight: options.maxCalls ?? 20_000,
    organizationSharePercent: options.organizationSharePercent ?? 100,
    corsOrigins: options.corsOrigins ?? [],
    authFailuresPerMinute: 0,
    providerConnectTimeoutMs: 5000,
    providerHeadersTimeoutMs: 10_000,
    providerBodyTimeoutMs: 10_000,
    providerConnections: 16,
    providerIdleTimeoutMs: 30_000,
    shareWaitMs: 10_000,
    cacheWaitMs: 0,
    heldBodiesBytes: 256 * mebi,
    ...limitSettings(options.limits ?? {}),
  };
}

function limitSettings(limits: Partial<ForwardLimits>): Partial<Config> {
  return {
    routeMaxBytes: limits.routeMaxBytes ?? 64 * 1024,
    requestMaxBytes: limits.requestMaxBytes ?? 64 * mebi,
    recordMaxBytes: limits.recordMaxBytes ?? 64 * mebi,
    attemptsMax: limits.maxAttempts ?? 20,
    retryWithinMs: limits.retryWithinMs ?? 60_000,
    cacheResponseMaxBytes: limits.cachedResponseMaxBytes ?? mebi,
    clientStallTimeoutMs: limits.clientStallMs ?? 30_000,
    logMaxBytes: limits.logMaxBytes ?? 16 * mebi,
    otlpMaxBytes: limits.spansMaxBytes ?? 16 * mebi,
  };
}

/** Where names that callers chose are resolved by the test. */
function routesTo({ targetAllowlist, providers, bedrockRegion }: Config, resolve: LookupFunction | undefined): Partial<ForwardPorts> {
  if (resolve === undefined) return {};
  const allowed = makeAllowList(targetAllowlist);
  const targets = makeTargetGuard(allowed, { listed: resolve, unlisted: resolve });
  return { targets, providers: makeProviderTable(providers, { bedrockRegion, allowsLocal: allowed.allows, targets }) };
}

function noState(): never {
  throw new Error('this rig has no shared state');
}

/** Reads large bodies as the threads do, in a later turn. */
export const readInTurn: ForwardPorts['largeBodies'] = {
  summaries: async (_asker, body, ways) => {
    await soon();
    const answer = runTask(body, { of: 'summaries', forms: ways });
    if ('summaries' in answer) return answer.summaries;
    throw 'refusal' in answer ? new GatelogError(answer.refusal.code, answer.refusal.message) : new TypeError('no summaries');
  },
  shape: async (_asker, body) => {
    await soon();
    const answer = runTask(body, { of: 'shape' });
    if (!('shape' in answer)) throw new TypeError('no shape');
    return unpackShape(answer.shape);
  },
  echo: async (_asker, request) => {
    await soon();
    return responseOfEcho(request);
  },
};

function readExchanges(folder: string): Exchange[] {
  const streams = new Map<number, FrameLocation[]>();
  const reader = new SeriesReader(folder, {
    onFrame: (frame) => {
      const frames = streams.get(frame.stream) ?? [];
      frames.push(frame);
      streams.set(frame.stream, frames);
    },
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
  });
  reader.read(Number.MAX_SAFE_INTEGER);
  reader.close();
  return [...streams.values()].map((frames) => {
    const payloads = readPayloads(folder, frames);
    return assembleExchange(frames.map((frame, index): PayloadFrame => ({ frame, payload: payloads[index] ?? Buffer.alloc(0) })));
  });
}

/** The providers' table with OpenAI at a port of this machine. */
export function openAiAt(port: number, basePath = '/v1'): Readonly<Record<string, ProviderOverride>> {
  return { openai: { baseUrl: `http://127.0.0.1:${port}${basePath}` } };
}
