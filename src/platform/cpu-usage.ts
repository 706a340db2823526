import { cpus } from 'node:os';
import type { Clock } from './clock.ts';

/** Shares of all cores' time, 0 to 1. */
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
 * Measures the machine's recent CPU usage. @returns a function whose result is undefined until two samples lie 0.1 to 2 s apart, and is
 * cached for 0.1 s.
 */
export function watchCpuShares(clock: Clock): () => CpuShares | undefined {
  let earlier: Sample | undefined;
  let shares: CpuShares | undefined;
  return () => {
    const at = clock.monotonic();
    if (earlier !== undefined && at - earlier.at < minMs) return shares;
    const sample = takeSample(at);
    shares = earlier === undefined || at - earlier.at > maxMs ? undefined : between(earlier, sample);
    earlier = sample;
    return shares;
  };
}

function takeSample(at: number): Sample {
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
