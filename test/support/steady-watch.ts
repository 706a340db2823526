import { readdirSync, readlinkSync } from 'node:fs';
import { processTree, residentBytes } from '../../bench/measure/process-table.ts';
import type { GatelogCandidate } from '../../bench/peers/candidate.ts';
import { inMegabytes } from './process-memory.ts';
import type { PropertyProbe } from './steady-probe.ts';
import { type ProcessSample, type ProcessTrend, trendOf } from './steady-verdict.ts';

const sampleMs = 1000;
const progressMs = 10_000;

/** Samples every process of the tree once a second and reports every ten seconds. */
export class TreeWatch {
  /** Processes that have ended. */
  readonly replaced: string[] = [];
  private readonly service: GatelogCandidate;
  private readonly probe: PropertyProbe;
  private readonly onProgress: (line: string) => void;
  private readonly samplesByPid = new Map<number, { readonly process: string; readonly samples: ProcessSample[] }>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly startedAt = performance.now();

  constructor(service: GatelogCandidate, probe: PropertyProbe, onProgress: (line: string) => void) {
    this.onProgress = onProgress;
    this.service = service;
    this.probe = probe;
    for (const { pid, command } of processTree(service.rootPid)) {
      this.samplesByPid.set(pid, { process: `${command.findLast((word) => word !== '') ?? '?'} (${pid})`, samples: [] });
    }
    this.timers = [setInterval(() => this.sample(), sampleMs), setInterval(() => this.report(), progressMs)];
  }

  stop(): ProcessTrend[] {
    for (const timer of this.timers) clearInterval(timer);
    return [...this.samplesByPid.values()].map(trendOf);
  }

  private sample(): void {
    for (const [pid, { process: name, samples }] of this.samplesByPid) {
      const resident = residentBytes(pid);
      if (resident !== null) samples.push({ atMs: performance.now(), residentBytes: resident.now, ...openFiles(pid) });
      else if (!this.replaced.includes(name)) this.replaced.push(name);
    }
  }

  private report(): void {
    const { p50Micros, p99Micros } = this.probe.summary();
    const parts = [...this.samplesByPid.values()].map(({ process: name, samples }) => {
      const last = samples.at(-1);
      return `${name} ${inMegabytes(last?.residentBytes ?? 0)}, ${last?.descriptors ?? 0} fds, ${last?.threads ?? 0} threads`;
    });
    const seconds = ((performance.now() - this.startedAt) / 1000).toFixed(0);
    void callsSoFar(this.service).then((calls) =>
      this.onProgress(`${seconds} s: ${calls} calls, visible after ${inMs(p50Micros)}, ${inMs(p99Micros)}; ${parts.join('; ')}`),
    );
  }
}

/** Calls that the service has counted; a question mark when `/metrics` does not respond. */
async function callsSoFar({ apiUrl }: GatelogCandidate): Promise<string> {
  try {
    const page = await (await fetch(`${apiUrl}/metrics`, { signal: AbortSignal.timeout(progressMs / 2) })).text();
    const counts = [...page.matchAll(/^gatelog_gateway_calls_total\{.*\} (\d+)/gm)].map(([, count]) => Number(count));
    return String(counts.reduce((sum, count) => sum + count, 0));
  } catch {
    return '?';
  }
}

/**
 * The engine keeps three files open for each of its threads, to read the thread's resource usage. Files of threads that have ended are a
 * leak.
 */
const fileOfThread = /^\/proc\/\d+\/task\//;
const filesOfThread = 3;

function openFiles(pid: number): Pick<ProcessSample, 'descriptors' | 'threads'> {
  const links = entriesOf(`/proc/${pid}/fd`).map((descriptor) => linkOf(`/proc/${pid}/fd/${descriptor}`));
  const ofThreads = links.filter((link) => fileOfThread.test(link)).length;
  const threads = entriesOf(`/proc/${pid}/task`).length;
  return { descriptors: links.length - Math.min(ofThreads, threads * filesOfThread), threads };
}

/** Empty when the process has just ended; the next sample detects that. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty when the descriptor was closed meanwhile. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

/** Microseconds as text in milliseconds. */
export function inMs(micros: number): string {
  return `${(micros / 1000).toFixed(0)} ms`;
}
