import { longJsonResponse } from '../load/canned-responses.ts';
import { type ResidentBytes, residentBytes } from '../measure/process-table.ts';
import { type Candidate, startCandidate, startGatelog } from '../peers/candidate.ts';
import { chatBody } from './chat-call.ts';
import { failuresOf, type PartContext, settle } from './part.ts';
import { untilDrained } from './spool-watch.ts';

export const memoryConnections = 200;
export const memoryKilobytes = 150;

export interface MemoryRow {
  readonly process: string;
  /** Before the load; null where the system does not report it. */
  readonly atRest: ResidentBytes | null;
  /** Until everything from the load was stored. */
  readonly afterwards: ResidentBytes | null;
}

export interface MemoryResult {
  readonly requestsPerSecond: number;
  readonly rows: readonly MemoryRow[];
  readonly failures: readonly string[];
}

/** Measures the peak memory under many large bodies at once. */
export async function measureMemory(context: PartContext): Promise<MemoryResult> {
  const { surroundings, options, driver, progress } = context;
  const load = {
    body: chatBody({ kilobytes: memoryKilobytes, order: ` [reply ${memoryKilobytes} KB]` }),
    connections: memoryConnections,
    durationMs: options.seconds * 1000,
    minimumBodyBytes: longJsonResponse(memoryKilobytes).length,
  };
  const started: Candidate[] = [];
  try {
    const bare = await startCandidate('bare', surroundings);
    started.push(bare);
    const gatelog = await startGatelog(surroundings);
    started.push(gatelog);
    const processes = [
      { process: 'bare', pid: bare.workerPids()[0] ?? 0 },
      { process: 'Gatelog, gateway worker', pid: gatelog.workerPids()[0] ?? 0 },
      { process: 'Gatelog, core', pid: gatelog.corePid() },
    ];
    await settle(context, started);
    const atRest = processes.map(({ pid }) => residentBytes(pid));
    const bareLoad = await driver.measure(bare, load);
    const gatelogLoad = await driver.measure(gatelog, load);
    await untilDrained(gatelog);
    await settle(context, started);
    progress(`gatelog  ${gatelogLoad.requestsPerSecond.toFixed(0)}/s of ${memoryKilobytes} KB there and back`);
    return {
      requestsPerSecond: gatelogLoad.requestsPerSecond,
      rows: processes.map(({ process, pid }, index) => ({ process, atRest: atRest[index] ?? null, afterwards: residentBytes(pid) })),
      failures: [...failuresOf('bare, long bodies', bareLoad), ...failuresOf('gatelog, long bodies', gatelogLoad)],
    };
  } finally {
    for (const candidate of started) await candidate.stop();
  }
}
