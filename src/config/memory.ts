import { GiB, type Machine, MiB } from './variable.ts';

/** Supervisor and core, and each gateway worker, at rest. */
const coreAtRest = 320 * MiB;
const workerAtRest = 80 * MiB;
/** A worker has no container of less than this for itself. */
const leastOfWorker = GiB;
const mostWorkers = 8;
export const spanBytes = 512;

/** Half of the cores, and no more than a container's memory bears. */
export function defaultWorkers({ cores, memoryLimitBytes = Infinity }: Machine): number {
  return Math.max(1, Math.min(mostWorkers, Math.floor(cores / 2), Math.floor(memoryLimitBytes / leastOfWorker)));
}

/**
 * The default of memory for one use: all of `full` on a machine without a limit; in a container at most `part` of what the processes at
 * rest leave, and never less than `least`. The parts of all uses, each as often as it is used, make 0.88: the rest is for what is not
 * counted.
 */
export interface MemoryUse {
  readonly full: number;
  readonly part: number;
  readonly least: number;
}

export const memoryUses = {
  queries: { full: 1536 * MiB, part: 0.33, least: 256 * MiB },
  caches: { full: 1920 * MiB, part: 0.22, least: 64 * MiB },
  answers: { full: 512 * MiB, part: 0.11, least: 64 * MiB },
  /** Of all workers together. */
  heldBodies: { full: 256 * MiB, part: 0.11, least: 64 * MiB },
  alertGroups: { full: 32 * MiB, part: 0.0055, least: MiB },
  spans: { full: 100_000 * spanBytes, part: 0.01, least: 1000 * spanBytes },
} as const satisfies Readonly<Record<string, MemoryUse>>;

/** Bytes of a use. @param sharers have the part together. */
export function memoryFor({ full, part, least }: MemoryUse, machine: Machine, sharers = 1): number {
  if (machine.memoryLimitBytes === undefined) return full;
  const left = machine.memoryLimitBytes - bytesAtRest(defaultWorkers(machine));
  return Math.min(full, Math.max(least, Math.floor((left * part) / sharers)));
}

/** As the default of a setting, in whole MiB. */
export function memoryDefault(use: MemoryUse): (machine: Machine) => string {
  return (machine) => `${Math.floor(memoryFor(use, machine) / MiB)}MiB`;
}

/** As {@link memoryDefault}, for each worker. */
export function workerMemoryDefault(use: MemoryUse): (machine: Machine) => string {
  return (machine) => `${Math.floor(memoryFor(use, machine, defaultWorkers(machine)) / MiB)}MiB`;
}

/** Of all processes. */
export function bytesAtRest(workers: number): number {
  return coreAtRest + workers * workerAtRest;
}
