import { cpus } from 'node:os';
import type { Clock } from './clock.ts';

/** How the time of all cores was spent, as shares of the whole, 0 to 1. */
export interface CpuShares {
  readonly idle: number;
  /** Used by this process. */
  readonly own: number;
}

interface Sample {
  readonly at: number;
  readonly totalMs: number;
  readonly idleMs: number;
  readonly ownMs: number;
}

const minMs = 100;
const maxMs = 2000;

/**
 * Tells how the machine spent the last moments.
 * @returns a function to be asked again and again; its answer is undefined until two looks lie between 0.1 and 2 s apart, and stays for 0.1 s.
 */
export function watchCpuShares(clock: Clock): () => CpuShares | undefined {
  let earlier: Sample | undefined;
  let shares: CpuShares | undefined;
  return () => {
    const at = clock.monotonic();
    if (earlier !== undefined && at - earlier.at < minMs) return shares;
    const sample = look(at);
    shares = earlier === undefined || at - earlier.at > maxMs ? undefined : between(earlier, sample);
    earlier = sample;
    return shares;
  };
}

function look(at: number): Sample {
  let totalMs = 0;
  let idleMs = 0;
  for (const { times } of cpus()) {
    totalMs += times.user + times.nice + times.sys + times.irq + times.idle;
    idleMs += times.idle;
  }
  const { user, system } = process.cpuUsage();
  return { at, totalMs, idleMs, ownMs: (user + system) / 1000 };
}

function between(earlier: Sample, later: Sample): CpuShares | undefined {
  const totalMs = later.totalMs - earlier.totalMs;
  if (totalMs <= 0) return undefined;
  return { idle: (later.idleMs - earlier.idleMs) / totalMs, own: (later.ownMs - earlier.ownMs) / totalMs };
}
