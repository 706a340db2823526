import { existsSync, readFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type AwakeClock, startAwakeClock } from './awake-clock.ts';
import type { Dice } from './dice.ts';
import { eventually } from './eventually.ts';
import { judge, type Verdict } from './kill-verdict.ts';
import { type CallOutcome, startLoad } from './load.ts';
import { judgeLogs, type LogVerdict, startLogLoad } from './log-load.ts';
import { startLoadProvider } from './load-provider.ts';
import { childrenNamed, killTree, type Service, type ServiceOptions, startService, treeOf } from './process-tree.ts';
import { stablePort } from './stable-port.ts';

export const killKinds = ['worker', 'core', 'supervisor', 'tree'] as const;
export type KillKind = (typeof killKinds)[number];

/** One kill and the time until the listeners responded again, in milliseconds; null until then. */
export interface Kill {
  readonly kind: KillKind;
  readonly at: number;
  gatewayDownMs: number | null;
  apiDownMs: number | null;
  /** When every process ran again. */
  recoveredAt: number;
}

export interface KillRunOptions {
  readonly kills: number;
  readonly dice: Dice;
  readonly dataDir: string;
  readonly callsPerSecond: number;
  /** Another entry point than the built program, such as a mutant. */
  readonly program?: string;
  readonly onKill?: (kill: Kill, soFar: { readonly calls: number; readonly updates: number }) => void;
}

export interface KillRun {
  readonly kills: readonly Kill[];
  readonly verdict: Verdict;
  readonly logs: LogVerdict;
  readonly callsPerSecond: number;
  /** Calls that failed although only the core was down. */
  readonly failedWithoutCore: readonly CallOutcome[];
}

const workers = 2;
const logsPerSecond = 20;
const maxPauseMs = 1500;
const recoveryMs = 120_000;

/** Kills parts of a service at random moments under load, then compares what clients received with what is stored. */
export async function runKills(options: KillRunOptions): Promise<KillRun> {
  const provider = await startLoadProvider();
  const [gatewayPort, apiPort] = [await stablePort(options.dice), await stablePort(options.dice)];
  const serviceOptions: ServiceOptions = {
    dataDir: options.dataDir,
    ...(options.program === undefined ? {} : { program: options.program }),
    environment: {
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_GATEWAY_WORKERS: String(workers),
      GATELOG_GATEWAY_PORT: String(gatewayPort),
      GATELOG_API_PORT: String(apiPort),
      // Small batches: several wait after each death, and the next is interpreted while the store inserts the previous one.
      GATELOG_INGEST_BATCH_ROWS: '100',
      // Small segments, so that kills also hit their creation and deletion.
      GATELOG_SPOOL_SEGMENT_BYTES: String(1024 * 1024),
      GATELOG_LOG_LEVEL: 'error',
    },
  };
  const clock = startAwakeClock();
  const scene: Scene = { options, serviceOptions, service: await startService(serviceOptions), kills: [], clock };
  try {
    const load = startLoad({ ...scene.service, callsPerSecond: options.callsPerSecond, updateEvery: 12, dice: options.dice });
    const logLoad = startLogLoad({ ...scene.service, logsPerSecond, dice: options.dice });
    const startedAt = performance.now();
    for (const kind of planOf(options)) {
      await wait(options.dice.below(maxPauseMs));
      const kill = await killOne(scene, kind);
      options.onKill?.(kill, { calls: load.calls.length, updates: load.updates.length });
    }
    await untilEveryProcessRuns(scene.service);
    const seconds = (performance.now() - startedAt) / 1000;
    await Promise.all([load.stop(), logLoad.stop()]);
    const verdict = await judge(scene.service.api, load.calls, load.updates);
    const logs = await judgeLogs(scene.service.api, logLoad.logs);
    const failedWithoutCore = load.calls.filter((call) => !call.complete && !isExcused(call, scene.kills));
    await scene.service.stop();
    return { kills: scene.kills, verdict, logs, callsPerSecond: load.calls.length / seconds, failedWithoutCore };
  } catch (error) {
    throw new Error(`after ${scene.kills.length} kills; the last output of the service:\n${scene.service.output().slice(-4000)}`, {
      cause: error,
    });
  } finally {
    clock.stop();
    await provider.close();
  }
}

interface Scene {
  readonly options: KillRunOptions;
  readonly serviceOptions: ServiceOptions;
  service: Service;
  readonly kills: Kill[];
  readonly clock: AwakeClock;
}

/** Every kind once in random order, then random kinds. */
function planOf({ kills, dice }: KillRunOptions): KillKind[] {
  const left: KillKind[] = [...killKinds];
  return Array.from({ length: kills }, () => left.splice(dice.below(left.length), 1)[0] ?? dice.of(killKinds));
}

async function killOne(scene: Scene, kind: KillKind): Promise<Kill> {
  if (kind !== 'worker' && scene.options.dice.below(2) === 0) await checkpointSaved(scene.options);
  const kill: Kill = { kind, at: performance.now(), gatewayDownMs: null, apiDownMs: null, recoveredAt: Number.POSITIVE_INFINITY };
  scene.kills.push(kill);
  const killedAt = scene.clock.now();
  await perform(scene, kind);
  const { gateway, api } = scene.service;
  const downMs = async (base: string): Promise<number> => {
    await eventually(`${base} to be ready`, () => isReady(base), recoveryMs);
    return scene.clock.now() - killedAt;
  };
  [kill.gatewayDownMs, kill.apiDownMs] = await Promise.all([downMs(gateway), downMs(api)]);
  await untilEveryProcessRuns(scene.service);
  kill.recoveredAt = performance.now();
  return kill;
}

async function perform(scene: Scene, kind: KillKind): Promise<void> {
  const { service, options } = scene;
  if (kind === 'worker' || kind === 'core') {
    const pids = childrenNamed(service.pid, kind === 'worker' ? 'gateway' : 'core');
    process.kill(options.dice.of(pids), 'SIGKILL');
    return;
  }
  const members = treeOf(service.pid);
  if (kind === 'tree') killTree(service.pid);
  else process.kill(service.pid, 'SIGKILL');
  await service.exited;
  await eventually('the whole tree to be gone', () => (members.some(isAlive) ? undefined : true), recoveryMs);
  scene.service = await startService(scene.serviceOptions);
}

/**
 * Aims at the moments around an insert: waits until the ingest writes its checkpoint, as it does before and after each insert, and then up
 * to 20 ms.
 */
async function checkpointSaved({ dataDir, dice }: KillRunOptions): Promise<void> {
  const limit = AbortSignal.timeout(maxPauseMs);
  try {
    for await (const { filename } of watch(path.join(dataDir, 'spool'), { signal: limit })) if (filename === 'checkpoint.json') break;
  } catch (error) {
    // No checkpoint was written in time: any moment will do.
    if (!limit.aborted) throw error;
  }
  await wait(dice.below(20));
}

function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function isReady(base: string): Promise<true | undefined> {
  try {
    const response = await fetch(`${base}/readyz`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status === 200 ? true : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until every process runs and the API is ready. */
async function untilEveryProcessRuns({ pid, api }: Service): Promise<void> {
  const counts = (): number => childrenNamed(pid, 'gateway').length * 10 + childrenNamed(pid, 'core').length;
  await eventually('every part to run', () => (counts() === workers * 10 + 1 ? true : undefined), recoveryMs);
  await eventually('the API to be ready', () => isReady(api), recoveryMs);
}

/** A call may fail when its worker was killed, alone or with the supervisor. The death of the core never fails one. */
function isExcused(call: CallOutcome, kills: readonly Kill[]): boolean {
  return kills.some(({ kind, at, recoveredAt: overAt }) => kind !== 'core' && at <= call.endedAt && overAt >= call.startedAt);
}
