import { setTimeout as wait } from 'node:timers/promises';
import { startAwakeClock } from './awake-clock.ts';
import type { SeededRandom } from './seeded-random.ts';
import { judge, type Verdict } from './kill-verdict.ts';
import { type Kill, killKinds, killOne, type KillScene, maxPauseMs, planOf, untilEveryProcessRuns } from './kills.ts';
import { type CallOutcome, startLoad } from './load.ts';
import { judgeLogs, type LogVerdict, startLogLoad } from './log-load.ts';
import { startLoadProvider } from './load-provider.ts';
import { type ServiceOptions, startService } from './process-tree.ts';
import { stablePort } from './stable-port.ts';

export interface KillRunOptions {
  readonly kills: number;
  readonly random: SeededRandom;
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

/** Kills parts of a service at random moments under load, then compares what clients received with what is stored. */
export async function runKills(options: KillRunOptions): Promise<KillRun> {
  const provider = await startLoadProvider();
  const [gatewayPort, apiPort] = [await stablePort(), await stablePort()];
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
  const { random: dice } = options;
  const scene: KillScene = { random: dice, workers, serviceOptions, service: await startService(serviceOptions), kills: [], clock };
  try {
    const load = startLoad({ ...scene.service, callsPerSecond: options.callsPerSecond, updateEvery: 12, random: options.random });
    const logLoad = startLogLoad({ ...scene.service, logsPerSecond, random: options.random });
    const startedAt = performance.now();
    for (const kind of planOf(killKinds, options.kills, options.random)) {
      await wait(options.random.below(maxPauseMs));
      const kill = await killOne(scene, kind);
      options.onKill?.(kill, { calls: load.calls.length, updates: load.updates.length });
    }
    await untilEveryProcessRuns(scene);
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

/** A call may fail when its worker was killed, alone or with the supervisor. The death of the core never fails one. */
function isExcused(call: CallOutcome, kills: readonly Kill[]): boolean {
  return kills.some(({ kind, at, recoveredAt: overAt }) => kind !== 'core' && at <= call.endedAt && overAt >= call.startedAt);
}
