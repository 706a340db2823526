import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { recordAt } from '../../bench/query/records.ts';
import type { JobItem } from '../../src/contract/jobs/job.ts';
import { type ModelJob, type ModelRequest, replay } from '../../src/jobs/testing/bulk-model.ts';
import type { OrganizationId } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { type ApiClient, apiClient } from './api.ts';
import { fillStore, makeOrganization, storeFolder } from './bulk-store.ts';
import type { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import { childrenNamed, killStarted, type Service, startService } from './process-tree.ts';

export interface BulkOptions {
  readonly dataDir: string;
  readonly requests: number;
  /** Kills of the core or of the whole tree. */
  readonly kills: number;
  /** Maximum time between two kills. */
  readonly maxRunMs: number;
  readonly random: SeededRandom;
  readonly onProgress?: (text: string) => void;
}

export interface BulkReport {
  readonly kills: number;
  /** Acknowledged changes of single requests meanwhile. */
  readonly changes: number;
  readonly jobs: readonly JobItem[];
  readonly tookMs: number;
  /** Requests whose properties are not those of the model. */
  readonly different: readonly string[];
  /** Entries of jobs that are in the history more than once. */
  readonly doubled: number;
  /** Requests of another organisation that changed. */
  readonly foreign: number;
}

const otherOrganization = '0197b000-0000-7000-8000-0000000000ff' as OrganizationId;

/**
 * Fills a store, orders two bulk changes and the undo of the first over HTTP, and kills the core or the whole tree while they run and
 * single requests are changed. Then compares the store with a model.
 */
export async function runBulk(options: BulkOptions): Promise<BulkReport> {
  const { dataDir, requests, onProgress } = options;
  const organization = await makeOrganization(dataDir);
  const records = Array.from({ length: requests }, (_, number) => recordAt(number, requests, organization));
  const all = [...records, ...records.slice(0, 100).map((record) => ({ ...record, organizationId: otherOrganization }))];
  await fillStore(dataDir, all.length, (number) => all[number] ?? recordAt(number, requests, organization));
  onProgress?.(`${requests} requests stored`);
  const scene = new Scene(options, records);
  try {
    await scene.start();
    const startedAt = performance.now();
    const first = await scene.order({ filter: succeeded, set: { Team: 'merged', Reviewed: 'yes' }, remove: ['Environment'] });
    await scene.order({ filter: 'all', set: { Team: 'all' } });
    await scene.untilEnded(Math.ceil(options.kills / 2));
    await scene.undo(first.job_id);
    await scene.untilEnded(options.kills);
    const tookMs = performance.now() - startedAt;
    const jobs = await scene.jobs();
    await scene.stop();
    return { ...(await verdict(dataDir, records, { jobs, sent: scene.sent })), kills: scene.kills, changes: scene.sent.size, jobs, tookMs };
  } finally {
    killStarted();
  }
}

const succeeded = { request_response_rmt: { status: { equals: 200 } } };

/** A service under kills, and the changes that it acknowledged. */
class Scene {
  kills = 0;
  /** Request by value. */
  readonly sent = new Map<string, string>();
  private readonly options: BulkOptions;
  private readonly records: readonly RequestRecord[];
  private service: Service | undefined;
  private count = 0;

  constructor(options: BulkOptions, records: readonly RequestRecord[]) {
    this.options = options;
    this.records = records;
  }

  private get api(): ApiClient {
    return apiClient(this.running.api);
  }

  private get running(): Service {
    if (this.service === undefined) throw new Error('the service does not run');
    return this.service;
  }

  async start(): Promise<void> {
    this.service = await startService({ dataDir: this.options.dataDir });
  }

  async stop(): Promise<void> {
    await this.running.stop();
  }

  order(body: object): Promise<JobItem> {
    return this.retried(() => this.api.call<JobItem>('POST', '/v1/request/property', { ...body, dryRun: false }));
  }

  undo(id: string): Promise<JobItem> {
    return this.retried(() => this.api.call<JobItem>('POST', `/v1/jobs/${id}/undo`));
  }

  jobs(): Promise<readonly JobItem[]> {
    return this.retried(() => this.api.call<readonly JobItem[]>('GET', '/v1/jobs'));
  }

  /** Changes single requests, and kills until there were so many kills and all jobs have ended. */
  async untilEnded(kills: number): Promise<void> {
    const { random: dice, maxRunMs, onProgress } = this.options;
    for (;;) {
      const killAt = this.kills < kills ? performance.now() + dice.below(maxRunMs) : Infinity;
      while (performance.now() < killAt) {
        await this.changeOne();
        if ((await this.jobs()).every(({ ended_at: endedAt }) => endedAt !== null)) return;
      }
      await this.kill();
      const jobs = await this.jobs();
      onProgress?.(`kill ${this.kills}: ${jobs.map(({ state, done, total }) => `${state} ${done}/${total}`).join(', ')}`);
    }
  }

  private async changeOne(): Promise<void> {
    const { random: dice } = this.options;
    const { requestId } = dice.of(this.records);
    this.count += 1;
    const value = `put-${this.count}`;
    const { status } = await this.api.call('PUT', `/v1/request/${requestId}/property`, { Team: value });
    if (status === 200) this.sent.set(value, requestId);
    await wait(dice.below(30));
  }

  private async kill(): Promise<void> {
    this.kills += 1;
    if (this.options.random.below(2) === 0) {
      await this.running.killAll();
      await this.start();
      return;
    }
    const [core] = childrenNamed(this.running.pid, 'core');
    if (core !== undefined) process.kill(core, 'SIGKILL');
    await eventually('the next core', () => childrenNamed(this.running.pid, 'core').find((pid) => pid !== core), 60_000);
  }

  /** A core that begins refuses connections. */
  private retried<Data>(call: () => Promise<{ readonly status: number; readonly body: { readonly data: Data } }>): Promise<Data> {
    return eventually(
      'the API to answer',
      async () => {
        try {
          const { status, body } = await call();
          return status === 200 ? body.data : undefined;
        } catch (error) {
          if (error instanceof TypeError) return undefined;
          throw error;
        }
      },
      120_000,
    );
  }
}

interface Played {
  readonly jobs: readonly JobItem[];
  readonly sent: ReadonlyMap<string, string>;
}

interface StoredEntry {
  readonly number: string;
  readonly value: string;
}

async function verdict(
  dataDir: string,
  records: readonly RequestRecord[],
  { jobs, sent }: Played,
): Promise<Pick<BulkReport, 'different' | 'doubled' | 'foreign'>> {
  const connections = openConnections({ folder: path.join(dataDir, storeFolder) });
  try {
    const entries = await rowsIn<StoredEntry>(
      connections,
      `SELECT toString(number) AS number, JSONExtractString(new) AS value FROM changes WHERE startsWith(value, 'put-')`,
    );
    const numberOf = new Map(entries.map(({ number, value }) => [value, Number(number)]));
    const changes = [...sent].map(([value, id]) => ({ ids: [id], name: 'Team', value, number: numberOf.get(value) ?? Number.NaN }));
    const requests = records.map(({ requestId: id, properties: first }): ModelRequest => ({ id, first }));
    const numbers = await jobNumbers(connections, jobs);
    const expected = replay(requests, changes, modelJobs(jobs, numbers, records));
    const rows = await rowsIn<{ readonly id: string; readonly org: string; readonly properties: Readonly<Record<string, string>> }>(
      connections,
      'SELECT id_text AS id, org_text AS org, properties FROM requests',
    );
    const own = rows.filter(({ org }) => org !== otherOrganization);
    const foreign = rows.filter(({ org }) => org === otherOrganization);
    const first = new Map(records.map(({ requestId, properties }) => [requestId as string, Object.fromEntries(properties)]));
    const [doubled] = await rowsIn<{ readonly total: number | string }>(
      connections,
      `SELECT count() - uniqExact(request_id, name, number) AS total FROM changes WHERE kind = 'property'`,
    );
    return {
      different: own.filter(({ id, properties }) => textOf(properties) !== textOf(expected.get(id))).map(({ id }) => id),
      doubled: Number(doubled?.total),
      foreign: foreign.filter(({ id, properties }) => textOf(properties) !== textOf(first.get(id))).length,
    };
  } finally {
    await connections.close();
  }
}

function modelJobs(jobs: readonly JobItem[], numbers: ReadonlyMap<string, number>, records: readonly RequestRecord[]): readonly ModelJob[] {
  const statuses = new Map(records.map(({ requestId, status }) => [requestId as string, status]));
  return jobs.map(({ job_id: id, filter, set, remove, undoes }): ModelJob => {
    const number = numbers.get(id) ?? Number.NaN;
    if (undoes !== null) return { id, number, work: { undoes } };
    const covers = (request: string): boolean => filter === 'all' || statuses.get(request) === 200;
    const targets = new Map<string, string | null>([
      ...Object.entries(set ?? {}),
      ...(remove ?? []).map((name): [string, null] => [name, null]),
    ]);
    return { id, number, work: { covers, targets } };
  });
}

/** The number of each job, from the time of its start. */
async function jobNumbers(connections: Connections, jobs: readonly JobItem[]): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const { job_id: id, started_at: startedAt } of jobs) {
    const [row] = await rowsIn<{ readonly number: string }>(
      connections,
      `SELECT toString(any(number)) AS number FROM changes WHERE changed_at = fromUnixTimestamp64Milli(${Date.parse(startedAt ?? '')}, 'UTC')
       AND NOT startsWith(JSONExtractString(new), 'put-') AND name IN ('Team', 'Reviewed', 'Environment')`,
    );
    numbers.set(id, Number(row?.number));
  }
  return numbers;
}

function textOf(properties: Readonly<Record<string, string>> | undefined): string {
  return JSON.stringify(Object.entries(properties ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function rowsIn<Row>(connections: Connections, query: string): Promise<readonly Row[]> {
  return connections.run('long', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>());
}
