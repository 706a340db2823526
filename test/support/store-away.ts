import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Sample, slopePerSecond } from '../../bench/measure/trend.ts';
import { childrenNamed, type Service, startService } from './process-tree.ts';
import type { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import { faultyStoreProgram, setStoreFault, type StoreFault } from './faulty-store.ts';
import { judge, type Verdict } from './kill-verdict.ts';
import { type CallOutcome, type Load, startLoad } from './load.ts';
import { startLoadProvider } from './load-provider.ts';
import { judgeLogs, type LogVerdict, startLogLoad } from './log-load.ts';
import { memoryOf } from './process-memory.ts';
import { readCount } from './stored-records.ts';

export interface StoreAwayOptions {
  readonly dataDir: string;
  readonly random: SeededRandom;
  readonly callsPerSecond: number;
  /** Time before the first fault, milliseconds. */
  readonly warmMs: number;
  /** How long the store is faulty, milliseconds: it refuses for half of the time, then is slow, then loses its responses. */
  readonly awayMs: number;
  /** Duration of one operation while the store is slow, milliseconds. */
  readonly slowMs: number;
  readonly onProgress?: (what: string) => void;
}

/** Memory of one kind of process while the store was faulty. */
export interface MemoryTrend {
  readonly role: 'gateway' | 'core';
  readonly firstBytes: number;
  readonly maxBytes: number;
  readonly bytesPerMinute: number;
}

export interface StoreAwayRun {
  readonly verdict: Verdict;
  readonly logs: LogVerdict;
  /** Statuses of logs that were not taken at once. */
  readonly failedLogs: readonly number[];
  readonly failedCalls: readonly CallOutcome[];
  readonly callsPerSecond: number;
  /** Requests in the spool when the store was back, and how long the ingest took to drain them under continued load. */
  readonly backlog: number;
  readonly catchUpMs: number;
  readonly memory: readonly MemoryTrend[];
}

const catchUpLimitMs = 600_000;
const logsPerSecond = 20;

/** Lets the store fail under load, then compares what clients received with what is stored. */
export async function runStoreAway(options: StoreAwayOptions): Promise<StoreAwayRun> {
  const provider = await startLoadProvider();
  // Beside the data folder, because a start refuses a folder with foreign files.
  const faultFile = `${path.resolve(options.dataDir)}.store-fault.json`;
  setStoreFault(faultFile, { kind: 'none' });
  try {
    const service = await startService({
      dataDir: options.dataDir,
      program: faultyStoreProgram,
      environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, GATELOG_LOG_LEVEL: 'silent', STORE_FAULT_FILE: faultFile },
    });
    const { callsPerSecond, random: dice } = options;
    const load = startLoad({ ...service, callsPerSecond, updateEvery: 25, random: dice });
    const logLoad = startLogLoad({ ...service, logsPerSecond, random: dice });
    const startedAt = performance.now();
    await wait(options.warmMs);
    const memory = await whileAway(options, service, faultFile);
    const { backlog, catchUpMs } = await catchUp(service, load);
    const seconds = (performance.now() - startedAt) / 1000;
    await Promise.all([load.stop(), logLoad.stop()]);
    const verdict = await judge(service.api, load.calls, load.updates);
    const logs = await judgeLogs(service.api, logLoad.logs);
    await service.stop();
    return {
      verdict,
      logs,
      failedLogs: logLoad.logs.flatMap(({ failures }) => failures),
      failedCalls: load.calls.filter(({ complete, status, recorded }) => !complete || status !== 200 || !recorded),
      callsPerSecond: load.calls.length / seconds,
      backlog,
      catchUpMs,
      memory,
    };
  } finally {
    rmSync(faultFile, { force: true });
    await provider.close();
  }
}

async function whileAway(options: StoreAwayOptions, { pid }: Service, faultFile: string): Promise<MemoryTrend[]> {
  const samples: Record<MemoryTrend['role'], Sample[]> = { gateway: [], core: [] };
  const roles = ['gateway', 'core'] as const;
  const pids = new Map(roles.map((role) => [role, childrenNamed(pid, role)[0] ?? 0]));
  const timer = setInterval(() => {
    for (const role of roles) samples[role].push({ atMs: performance.now(), value: memoryOf(pids.get(role) ?? 0).resident });
  }, 500);
  const parts: readonly (readonly [StoreFault, number])[] = [
    [{ kind: 'refuses' }, 0.5],
    [{ kind: 'slow', delayMs: options.slowMs }, 0.25],
    [{ kind: 'loses answers' }, 0.25],
  ];
  for (const [fault, share] of parts) {
    options.onProgress?.(`the store ${fault.kind === 'slow' ? 'is slow' : fault.kind}`);
    setStoreFault(faultFile, fault);
    await wait(options.awayMs * share);
  }
  clearInterval(timer);
  setStoreFault(faultFile, { kind: 'none' });
  options.onProgress?.('the store is back');
  return roles.map((role) => trendOf(role, samples[role]));
}

function trendOf(role: MemoryTrend['role'], samples: readonly Sample[]): MemoryTrend {
  const values = samples.map(({ value }) => value);
  return {
    role,
    firstBytes: values[0] ?? 0,
    maxBytes: Math.max(0, ...values),
    // Over the second half; the first contains the warm-up.
    bytesPerMinute: (slopePerSecond(samples.slice(samples.length / 2)) ?? 0) * 60,
  };
}

/** Waits until the store has a record for each response that was complete when the store came back. */
async function catchUp({ api }: Service, load: Load): Promise<{ backlog: number; catchUpMs: number }> {
  const wanted = load.calls.filter(({ complete }) => complete).length;
  const backAt = performance.now();
  let first: number | undefined;
  await eventually(
    'the store to have caught up',
    async () => {
      const count = await readCount(api);
      if (count !== undefined) first ??= count;
      return count !== undefined && count >= wanted ? true : undefined;
    },
    catchUpLimitMs,
  );
  return { backlog: wanted - (first ?? 0), catchUpMs: performance.now() - backAt };
}
