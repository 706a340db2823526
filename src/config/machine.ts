import { totalmem } from 'node:os';
import { readCgroupLimits, usableCores } from '../platform/cgroup.ts';
import { inUnitsOfBytes } from './kinds.ts';
import type { Machine } from './variable.ts';

/** The machine that this process runs on, or what its container has of it. */
export function thisMachine(): Machine {
  const limits = readCgroupLimits();
  const { memoryBytes = Infinity } = limits;
  return { cores: usableCores(limits), ...(memoryBytes < totalmem() ? { memoryLimitBytes: memoryBytes } : {}) };
}

/** A sentence about what defaults follow. */
export function machineSentence({ cores, memoryLimitBytes }: Machine): string {
  const memory = memoryLimitBytes === undefined ? 'no memory limit' : `a memory limit of ${inUnitsOfBytes(memoryLimitBytes)}`;
  return `Found here: ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memory}. Defaults follow.`;
}
