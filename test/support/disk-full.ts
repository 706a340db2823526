import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { unrecordedOnceCounted } from './counted-calls.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { DiskSpace } from './disk-room.ts';
import { eventually } from './eventually.ts';
import { judge, type Verdict } from './kill-verdict.ts';
import { type CallOutcome, type Load, startLoad } from './load.ts';
import { startLoadProvider } from './load-provider.ts';
import { type Service, startService, treeOf } from './process-tree.ts';

export interface DiskFullOptions {
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly random: SeededRandom;
  readonly callsPerSecond: number;
  /** The disk that runs full, chosen once the service runs. */
  readonly diskOf: (service: Service) => DiskSpace;
  /** How often the disk runs full. */
  readonly rounds: number;
  /** How long it stays full, milliseconds. */
  readonly fullMs: number;
  /** Health that both listeners must report before the disk has space again. */
  readonly healthWhileFull?: { readonly gateway: Health; readonly api: Health };
  readonly onRound?: (what: string) => void;
}

export interface DiskFullRun {
  readonly verdict: Verdict;
  /** Calls without a complete response of the provider. */
  readonly failedCalls: readonly CallOutcome[];
  readonly calls: number;
  /** Responses with `svc-recorded: false`. */
  readonly unrecorded: number;
  /** Calls that the metrics count as not, or not surely, recorded. */
  readonly countedUnrecorded: number;
  /** No process was restarted. */
  readonly sameProcesses: boolean;
}

/** Status and body of `/readyz`. */
export interface Health {
  readonly status: number;
  readonly body: object;
}

const roundMs = 1000;
const recoveryMs = 60_000;

/** Lets a disk run full and free again under load, then compares what responses said about their records with what is stored. */
export async function runDiskFull(options: DiskFullOptions): Promise<DiskFullRun> {
  const provider = await startLoadProvider();
  try {
    const environment = { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, GATELOG_LOG_LEVEL: 'silent', ...options.environment };
    const service = await startService({ dataDir: options.dataDir, environment });
    const processes = treeOf(service.pid).join(' ');
    const disk = options.diskOf(service);
    const load = startLoad({ ...service, callsPerSecond: options.callsPerSecond, updateEvery: 0, random: options.random });
    for (let round = 1; round <= options.rounds; round += 1) {
      await wait(roundMs);
      await disk.fill();
      await wait(options.fullMs);
      await waitForHealth(service.gateway, options.healthWhileFull?.gateway);
      await waitForHealth(service.api, options.healthWhileFull?.api);
      disk.free();
      await untilRecorded(load);
      options.onRound?.(`round ${round}: ${unrecordedOf(load).length} unrecorded of ${load.calls.length} calls`);
    }
    await wait(roundMs);
    await load.stop();
    const sameProcesses = treeOf(service.pid).join(' ') === processes;
    const verdict = await judge(service.api, load.calls, load.updates);
    const calls = load.calls.length;
    const countedUnrecorded = await unrecordedOnceCounted(service.api, calls);
    await service.stop();
    const failedCalls = load.calls.filter(({ complete, status }) => !complete || status !== 200);
    return { verdict, failedCalls, calls, unrecorded: unrecordedOf(load).length, countedUnrecorded, sameProcesses };
  } finally {
    await provider.close();
  }
}

/** Waits until a listener reports this health. */
export async function waitForHealth(base: string, wanted: Health | undefined): Promise<void> {
  if (wanted === undefined) return;
  await eventually(`${base}/readyz to say ${JSON.stringify(wanted)}`, async () => {
    const response = await fetch(`${base}/readyz`);
    return isDeepStrictEqual({ status: response.status, body: await response.json() }, wanted) ? true : undefined;
  });
}

function unrecordedOf(load: Load): CallOutcome[] {
  return load.calls.filter(({ recorded }) => !recorded);
}

/** Waits until a call that began after this moment is recorded. */
async function untilRecorded(load: Load): Promise<void> {
  const from = performance.now();
  await eventually(
    'a call to be recorded again',
    () => (load.calls.some(({ startedAt, complete, recorded }) => startedAt > from && complete && recorded) ? true : undefined),
    recoveryMs,
  );
}
