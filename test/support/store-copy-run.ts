import { setTimeout as wait } from 'node:timers/promises';
import { recordAt } from '../../bench/query/records.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import { type Front, startFront } from '../../src/store/testing/store-location.ts';
import { type ApiClient, apiClient } from './api.ts';
import { startAwakeClock } from './awake-clock.ts';
import { type CommandResult, gatelog } from './command.ts';
import { eventually } from './eventually.ts';
import { fillStore } from './export-run.ts';
import { judge, type Verdict } from './kill-verdict.ts';
import { killOne, type KillScene, planOf } from './kills.ts';
import { type CallOutcome, startLoad, type UpdateOutcome } from './load.ts';
import { startLoadProvider } from './load-provider.ts';
import { drawQuery, type Query } from './move-run.ts';
import { type ServiceOptions, startService } from './process-tree.ts';
import type { SeededRandom } from './seeded-random.ts';
import { stablePort } from './stable-port.ts';
import { readCount } from './stored-records.ts';

export interface StoreCopyOptions {
  readonly dataDir: string;
  /** Of the engine behind the servers' front; exists. */
  readonly serverFolder: string;
  readonly requests: number;
  readonly queries: number;
  /** On the way there, and on the way back. */
  readonly killsEachWay: number;
  readonly callsPerSecond: number;
  readonly random: SeededRandom;
  readonly onProgress: (text: string) => void;
}

/** One way. */
export interface MovedStore {
  readonly to: string;
  readonly seconds: number;
  readonly kills: number;
  /** Days whose figures are not the same on both sides. */
  readonly differentDays: readonly string[];
  readonly days: number;
  readonly said: string;
}

export interface StoreCopyRun {
  readonly ways: readonly MovedStore[];
  readonly compared: number;
  readonly differentQueries: readonly string[];
  readonly verdict: Verdict;
}

const maxKillPauseMs = 6000;
const catchUpMs = 300_000;
const maxMoveMs = 3_600_000;
/** What came this shortly before the move may still have been on its way from the spool. */
const unsettledMs = 120_000;

/** Of the stored records, one of so many is there for the drawing of queries. */
const sampleEvery = 100;
const pageSize = 25;

interface Scene extends KillScene {
  readonly options: StoreCopyOptions;
  readonly front: Front;
  readonly environment: Readonly<Record<string, string>>;
  readonly calls: CallOutcome[];
  readonly updates: UpdateOutcome[];
}

/** Moves a store to servers and back under load and kills, and compares what both sides have. */
export async function runStoreCopy(options: StoreCopyOptions): Promise<StoreCopyRun> {
  const { dataDir, requests, random, onProgress } = options;
  const sample: RequestRecord[] = [];
  await fillStore(dataDir, requests, (number, organization) => {
    const record = recordAt(number, requests, organization);
    if (number % sampleEvery === 0) sample.push(record);
    return record;
  });
  // Of the stored records alone: calls come meanwhile.
  const before = { request_response_rmt: { request_created_at: { lt: new Date(Date.now()).toISOString() } } };
  const queries = Array.from({ length: options.queries }, () => {
    const { filter, ...sort } = drawQuery(random, sample);
    return { filter: { left: filter, operator: 'and', right: before }, ...sort };
  });
  onProgress(`${requests} requests stored`);
  const [provider, front, clock] = [await startLoadProvider(), await startFront(options.serverFolder), startAwakeClock()];
  try {
    const environment = {
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_GATEWAY_WORKERS: '1',
      GATELOG_GATEWAY_PORT: String(await stablePort()),
      GATELOG_API_PORT: String(await stablePort()),
      GATELOG_LOG_LEVEL: 'error',
    };
    const serviceOptions: ServiceOptions = { dataDir, environment };
    const service = await startService(serviceOptions);
    const scene: Scene = {
      options,
      front,
      environment,
      calls: [],
      updates: [],
      random,
      workers: 1,
      serviceOptions,
      service,
      kills: [],
      clock,
    };
    const asked = await askAll(apiClient(service.api), queries);
    onProgress(`${queries.length} queries asked, ${asked.filter((answer) => answer !== '[]').length} of them find requests`);
    const ways: MovedStore[] = [];
    const different: string[] = [];
    for (const to of [front.urls[0] ?? '', 'embedded']) {
      ways.push(await move(scene, to));
      const again = await askAll(apiClient(scene.service.api), queries);
      different.push(...queries.filter((_, index) => again[index] !== asked[index]).map((query) => JSON.stringify(query)));
      onProgress(`${again.length} answers compared, ${different.length} different so far`);
    }
    const verdict = await judge(scene.service.api, scene.calls, scene.updates, ({ properties }) => properties['Call'] !== undefined);
    await scene.service.stop();
    return { ways, compared: ways.length * queries.length, differentQueries: different, verdict };
  } finally {
    clock.stop();
    await front.close();
    await provider.close();
  }
}

/** Whole answers as text, with bodies: signed addresses alone are new each time. */
async function askAll(api: ApiClient, queries: readonly Query[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const query of queries) {
    const items = await api.query(query.filter, { limit: pageSize, includeBodies: true, ...(query.sort && { sort: query.sort }) });
    answers.push(JSON.stringify(items.map(({ signed_body_url: _signed, ...item }) => item)));
  }
  return answers;
}

async function move(scene: Scene, to: string): Promise<MovedStore> {
  const { options, random } = scene;
  const load = startLoad({
    ...scene.service,
    callsPerSecond: options.callsPerSecond,
    updateEvery: 10,
    random,
    firstNumber: scene.calls.length + 1,
  });
  const startedAt = performance.now();
  const running = moved(options.dataDir, to);
  let ended: CommandResult | undefined;
  void running.then((result) => (ended = result));
  let kills = 0;
  for (const kind of planOf(['core', 'tree'], options.killsEachWay, random)) {
    await wait(1000 + random.below(maxKillPauseMs));
    if (ended !== undefined) break;
    await killOne(scene, kind);
    kills += 1;
    options.onProgress(`kill ${kills} (${kind})`);
  }
  const { code, stderr } = await running;
  const seconds = (performance.now() - startedAt) / 1000;
  if (code !== 0) throw new Error(`gatelog store copy ended with ${code}: ${stderr}\n${scene.service.output().slice(-4000)}`);
  const until = Date.now() - unsettledMs;
  await load.stop();
  options.onProgress(stderr.trim());
  const before = await daysOf(scene.service.api, until);
  await scene.service.stop();
  const address = to === 'embedded' ? {} : { GATELOG_CLICKHOUSE_URL: to };
  Object.assign(scene, { serviceOptions: { dataDir: options.dataDir, environment: { ...scene.environment, ...address } } });
  scene.service = await startService(scene.serviceOptions);
  scene.calls.push(...load.calls);
  // A change that came while the records moved was refused with a sentence that says so.
  scene.updates.push(...load.updates.filter(({ status }) => status !== 503));
  await caughtUp(scene);
  const after = await daysOf(scene.service.api, until);
  const days = [...new Set([...before.keys(), ...after.keys()])];
  const differentDays = days.filter((day) => before.get(day) !== after.get(day));
  return { to: to === 'embedded' ? to : 'servers', seconds, kills, differentDays, days: days.length, said: stderr.trim() };
}

async function caughtUp({ service, options, calls }: Scene): Promise<void> {
  const least = options.requests + calls.filter(({ complete, recorded }) => complete && recorded).length;
  await eventually('all to be stored', async () => ((await readCount(service.api)) ?? 0) >= least || undefined, catchUpMs);
}

/** A command that waits for a service that is killed again and again may give up. */
async function moved(dataDir: string, to: string): Promise<CommandResult> {
  const until = performance.now() + maxMoveMs;
  for (;;) {
    const result = await gatelog(dataDir, 'store', 'copy', '--to', to, '--switch');
    if (result.code === 0 || result.code === 2 || performance.now() > until) return result;
    await wait(1000);
  }
}

/** Figures of each day as text. */
async function daysOf(api: string, until: number): Promise<ReadonlyMap<string, string>> {
  const { body } = await apiClient(api).call<readonly Readonly<Record<string, unknown>>[]>('POST', '/v1/metrics/query', {
    metrics: ['count', 'cost', 'prompt_tokens', 'completion_tokens', 'avg_latency', 'errors', 'users', 'sessions'],
    interval: 'day',
    timeFilter: { startTimeUnixMs: 0, endTimeUnixMs: until },
  });
  return new Map(body.data.map(({ time, ...figures }) => [String(time), JSON.stringify(figures)]));
}
