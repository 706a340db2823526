import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { DiskRoom } from './disk-room.ts';
import { eventually } from './eventually.ts';
import { judge, type Verdict } from './kill-verdict.ts';
import { type CallOutcome, type Load, startLoad } from './load.ts';
import { startLoadProvider } from './load-provider.ts';
import { type Service, startService, treeOf } from './process-tree.ts';

export interface DiskFullOptions {
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly dice: Dice;
  readonly callsPerSecond: number;
  /** What runs out of room, once the service is there. */
  readonly roomOf: (service: Service) => DiskRoom;
  /** How often it does. */
  readonly rounds: number;
  /** How long it stays full, milliseconds. */
  readonly fullMs: number;
  /** What both listeners say of their health once it is full; waited for before there is room again. */
  readonly saidWhileFull?: Health;
  readonly onRound?: (what: string) => void;
}

export interface DiskFullRun {
  readonly verdict: Verdict;
  /** Calls without a whole reply of the provider. */
  readonly failedCalls: readonly CallOutcome[];
  /** Replies that said `svc-recorded: false`. */
  readonly unrecorded: number;
  /** No process was started again. */
  readonly sameProcesses: boolean;
}

/** An answer of `/readyz`. */
export interface Health {
  readonly status: number;
  readonly degraded: readonly string[];
}

const roundMs = 1000;
const recoveryMs = 60_000;

/** Lets a disk run full and free again under load, then compares what replies said of their records with what is stored. */
export async function runDiskFull(options: DiskFullOptions): Promise<DiskFullRun> {
  const provider = await startLoadProvider();
  try {
    const environment = { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, GATELOG_LOG_LEVEL: 'silent', ...options.environment };
    const service = await startService({ dataDir: options.dataDir, environment });
    const processes = treeOf(service.pid).join(' ');
    const room = options.roomOf(service);
    const load = startLoad({ ...service, callsPerSecond: options.callsPerSecond, updateEvery: 0, dice: options.dice });
    for (let round = 1; round <= options.rounds; round += 1) {
      await wait(roundMs);
      await room.fill();
      await wait(options.fullMs);
      for (const base of [service.gateway, service.api]) await untilSaid(base, options.saidWhileFull);
      room.free();
      await untilRecorded(load);
      options.onRound?.(`round ${round}: ${unrecordedOf(load).length} unrecorded of ${load.calls.length} calls`);
    }
    await wait(roundMs);
    await load.stop();
    const sameProcesses = treeOf(service.pid).join(' ') === processes;
    const verdict = await judge(service.api, load.calls, load.updates);
    await service.stop();
    const failedCalls = load.calls.filter(({ whole, status }) => !whole || status !== 200);
    return { verdict, failedCalls, unrecorded: unrecordedOf(load).length, sameProcesses };
  } finally {
    await provider.close();
  }
}

async function untilSaid(base: string, wanted: Health | undefined): Promise<void> {
  if (wanted === undefined) return;
  const text = JSON.stringify(wanted);
  await eventually(`${base}/readyz to say ${text}`, async () => JSON.stringify(await readHealth(base)) === text || undefined);
}

async function readHealth(base: string): Promise<Health> {
  const response = await fetch(`${base}/readyz`);
  const { degraded } = (await response.json()) as Pick<Health, 'degraded'>;
  return { status: response.status, degraded };
}

function unrecordedOf(load: Load): CallOutcome[] {
  return load.calls.filter(({ recorded }) => !recorded);
}

/** Waits until a call that began after this moment is on record. */
async function untilRecorded(load: Load): Promise<void> {
  const from = performance.now();
  await eventually(
    'a call to be recorded again',
    () => (load.calls.some(({ startedAt, whole, recorded }) => startedAt > from && whole && recorded) ? true : undefined),
    recoveryMs,
  );
}
