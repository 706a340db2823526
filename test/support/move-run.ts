import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { unwrap } from '../../src/contract/fault.ts';
import type { OrganizationId } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import { matches } from '../../src/query/filter/memory/interpret.ts';
import { parseFilter } from '../../src/query/filter/parse.ts';
import { filterWrappers } from '../../src/query/filter/leaf.ts';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { migrateStore } from '../../src/store/schema/migrate.ts';
import { insertV10 } from '../../bench/storage/store-v10.ts';
import { commonWord, recordAt } from '../../bench/query/records.ts';
import { type ApiClient, apiClient } from './api.ts';
import type { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import { gatelog } from './command.ts';
import { killStarted, type Service, startService, testKey } from './process-tree.ts';

export interface MoveOptions {
  readonly dataDir: string;
  /** Requests in the store of before. */
  readonly requests: number;
  readonly queries: number;
  readonly kills: number;
  /** Maximum time between a start and a kill. */
  readonly maxRunMs: number;
  readonly random: SeededRandom;
  readonly onProgress?: (text: string) => void;
}

export interface MoveReport {
  /** Answers that were compared, while bodies were moved and afterwards. */
  readonly compared: number;
  /** Queries whose answer differed, with the time. */
  readonly different: readonly string[];
  /** Calls whose response came whole, and those that are not on record once. */
  readonly calls: number;
  readonly lost: readonly string[];
  readonly kills: number;
  readonly movedMs: number;
  readonly bytes: { readonly before: number; readonly peak: number; readonly after: number };
  /** Rows left in the table of before. */
  readonly left: number;
}

/** The last step of the schema before bodies had groups. */
const lastStepBefore = 11;
const batch = 1000;
const pageSize = 25;
const storeFolder = 'clickhouse';
const metricsKey = 'metrics-key-0123456789';

/**
 * Fills a store of the schema of before, starts the service over it, and kills the whole tree while it moves the bodies, answers queries and
 * takes calls.
 */
export async function runMove(options: MoveOptions): Promise<MoveReport> {
  const { dataDir, requests, queries, random: dice, onProgress } = options;
  const organization = await makeFolder(dataDir);
  const records = Array.from({ length: requests }, (_, number) => recordAt(number, requests, organization));
  await fillBefore(dataDir, records);
  const store = path.join(dataDir, storeFolder);
  const before = bytesIn(store);
  const answers = new Answers(
    Array.from({ length: queries }, () => drawQuery(dice, records)),
    records,
  );
  onProgress?.(`${requests} requests stored by the schema of before; ${queries} queries have an expected answer`);
  const { service, ...moved } = await moveUnderKills(options, answers);
  try {
    const api = apiClient(service.api);
    await answers.compareAll(api);
    const lost = await lostOf(api, moved.calls);
    await service.stop();
    // A later start drops what is moved.
    await eventually('the old table to be dropped', async () => ((await rowsAfterStart(dataDir)) === 0 ? true : undefined), 60_000);
    const { compared, different } = answers;
    const bytes = { before, peak: moved.peakBytes, after: bytesIn(store) };
    return { ...moved, compared, different, calls: moved.calls.length, lost, bytes, left: await rowsBefore(dataDir) };
  } finally {
    killStarted();
  }
}

interface Moved {
  readonly service: Service;
  readonly calls: readonly string[];
  readonly kills: number;
  readonly movedMs: number;
  readonly peakBytes: number;
}

/** @returns once all bodies are moved, with the running service. */
async function moveUnderKills(
  { dataDir, queries, kills, maxRunMs, random: dice, onProgress }: MoveOptions,
  answers: Answers,
): Promise<Moved> {
  const startedAt = performance.now();
  const calls: string[] = [];
  let peakBytes = 0;
  for (let killed = 0; ; killed += 1) {
    const service = await startService({ dataDir, environment: { GATELOG_METRICS_KEY: metricsKey } });
    const api = apiClient(service.api);
    const killAt = killed < kills ? performance.now() + dice.below(maxRunMs) : Infinity;
    for (let index = dice.below(queries); performance.now() < killAt; index = (index + 1) % queries) {
      calls.push(await call(service));
      await answers.compare(api, index);
      peakBytes = Math.max(peakBytes, bytesIn(path.join(dataDir, storeFolder)));
      if ((await leftToMove(service)) === 0) return { service, calls, kills: killed, movedMs: performance.now() - startedAt, peakBytes };
    }
    await service.killAll();
    onProgress?.(`kill ${killed + 1}`);
  }
}

/** Compares the answers of the service with those that the records have. */
class Answers {
  compared = 0;
  readonly different: string[] = [];
  private readonly queries: readonly Query[];
  private readonly expected: readonly string[];

  constructor(queries: readonly Query[], records: readonly RequestRecord[]) {
    this.queries = queries;
    this.expected = queries.map((query) => JSON.stringify(expectedOf(query, records)));
  }

  async compare(api: ApiClient, index: number): Promise<void> {
    const { filter, sort } = this.queries[index] ?? { filter: 'all' };
    const found = await api.query(filter, { limit: pageSize, ...(sort === undefined ? {} : { sort }) });
    this.compared += 1;
    if (JSON.stringify(found.map(answerOf)) !== this.expected[index]) this.different.push(JSON.stringify(this.queries[index]));
  }

  async compareAll(api: ApiClient): Promise<void> {
    for (const index of this.queries.keys()) await this.compare(api, index);
  }
}

/** Calls that are not on record exactly once. */
async function lostOf(api: ApiClient, calls: readonly string[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const id of calls) {
    await api.stored(id);
    const found = await api.query(rmt('request_id', { equals: id }), { limit: 10 });
    if (found.length !== 1 || found[0]?.response_status !== 200) lost.push(id);
  }
  return lost;
}

/** A data folder with its organisation and key. */
async function makeFolder(dataDir: string): Promise<OrganizationId> {
  const service = await startService({ dataDir });
  await service.stop();
  return /^(\S+) .* default$/m.exec((await gatelog(dataDir, 'orgs', 'list')).stdout)?.[1] as OrganizationId;
}

async function fillBefore(dataDir: string, records: readonly RequestRecord[]): Promise<void> {
  const folder = path.join(dataDir, storeFolder);
  rmSync(folder, { recursive: true });
  const connections = openConnections({ folder });
  await migrateStore(connections, () => undefined, lastStepBefore);
  for (let start = 0; start < records.length; start += batch) {
    await insertV10(connections, records.slice(start, start + batch), `before-${start}`);
  }
  await connections.close();
}

/** Bytes that a folder takes on the disk. Folders may vanish meanwhile, for which `du` has an exit code that does not matter. */
function bytesIn(folder: string): number {
  return Number(/^\d+/.exec(spawnSync('du', ['-sk', folder], { encoding: 'utf8' }).stdout)?.[0]) * 1024;
}

/** Rows that are left in the old table once the service has run for a while. */
async function rowsAfterStart(dataDir: string): Promise<number> {
  const service = await startService({ dataDir });
  await wait(2000);
  await service.stop();
  return rowsBefore(dataDir);
}

async function rowsBefore(dataDir: string): Promise<number> {
  const connections = openConnections({ folder: path.join(dataDir, storeFolder) });
  const rows = await connections.run('short', async (client) =>
    (await client.query({ query: 'SELECT count() AS n FROM bodies_before', format: 'JSONEachRow' })).json<{ n: number | string }>(),
  );
  await connections.close();
  return Number(rows[0]?.n);
}

const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const and = (left: unknown, right: unknown): unknown => ({ left, operator: 'and', right });

export interface Query {
  readonly filter: unknown;
  readonly sort?: Readonly<Record<string, 'asc' | 'desc'>>;
}

/** Of the old records alone: calls come meanwhile. */
export function drawQuery(random: SeededRandom, records: readonly RequestRecord[]): Query {
  const record = random.of(records);
  const word = random.of(record.promptText.split(' ').filter((one) => one !== ''));
  const team = rmt('properties', { Team: { equals: record.properties.get('Team') } });
  const old = rmt('provider', { equals: 'OPENAI' });
  return random.of<Query>([
    { filter: rmt('request_id', { equals: record.requestId }) },
    { filter: team },
    { filter: rmt('request_body', { contains: word }) },
    { filter: rmt('response_body', { contains: random.of(record.completionText.split(' ')) }) },
    { filter: and(team, rmt('request_body', { contains: commonWord })) },
    { filter: and(old, rmt('request_body', { 'not-contains': commonWord })) },
    { filter: { request: { prompt: { contains: word } } } },
    { filter: { response: { body_completion: { equals: record.completionText } } } },
    { filter: rmt('user_id', { equals: record.userId }), sort: { request_prompt: 'asc' } },
    { filter: rmt('user_id', { equals: record.userId }), sort: { response_text: 'desc' } },
  ]);
}

interface Answer {
  readonly id: string;
  readonly request: unknown;
  readonly response: unknown;
}

function answerOf(item: RequestItem): Answer {
  return { id: item.request_id, request: item.request_body, response: item.response_body };
}

function expectedOf({ filter, sort }: Query, records: readonly RequestRecord[]): readonly Answer[] {
  const parsed = unwrap(parseFilter(filter, { wrappers: filterWrappers, unwrappedProperties: 'refuse' }));
  const found = records.filter((record) => matches(parsed.filter, record));
  const newestFirst = found.toSorted((left, right) => right.createdAt - left.createdAt || (left.requestId < right.requestId ? 1 : -1));
  const [key, direction] = Object.entries(sort ?? {})[0] ?? [];
  const textOf = (record: RequestRecord): string => (key === 'request_prompt' ? record.lastUserText : record.completionText);
  const byText = (left: RequestRecord, right: RequestRecord): number =>
    Buffer.compare(Buffer.from(textOf(left)), Buffer.from(textOf(right))) * (direction === 'asc' ? 1 : -1);
  const sorted = key === undefined ? newestFirst : newestFirst.toSorted(byText);
  return sorted.slice(0, pageSize).map(({ requestId, requestBody, responseBody }) => ({
    id: requestId,
    request: jsonOf(requestBody),
    response: jsonOf(responseBody),
  }));
}

function jsonOf(body: RequestRecord['requestBody']): unknown {
  return body.kind === 'json' ? JSON.parse(body.text) : null;
}

async function call({ gateway }: Service): Promise<string> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.text();
  const id = response.headers.get('svc-id');
  if (response.status !== 200 || id === null) throw new Error(`a call was answered with ${response.status}`);
  return id;
}

async function leftToMove({ api }: Service): Promise<number> {
  const response = await fetch(`${api}/metrics`, { headers: { Authorization: `Bearer ${metricsKey}` } });
  const found = /^gatelog_store_bodies_to_move\{[^}]*\} (\d+)$/m.exec(await response.text())?.[1];
  if (found === undefined) throw new Error('there is no metric gatelog_store_bodies_to_move');
  return Number(found);
}
