import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/** What the control groups of this process allow it; absent: they limit nothing. */
export interface CgroupLimits {
  readonly memoryBytes?: number;
  /** May have a fraction. */
  readonly cores?: number;
}

/** A hierarchy of groups: its own of version 2, or one controller's of version 1. */
interface Group {
  /** Where it is mounted. */
  readonly folder: string;
  /** The group of this process, from there; in a container, often a path that is only there outside. */
  readonly path: string;
}

/** Larger numbers stand for "no limit" in version 1. */
const mostBytes = 2 ** 60;

/**
 * Reads the limits of the control groups of this process: the lowest of its own group and those above it, of version 2 (`memory.max`,
 * `cpu.max`) or 1 (`memory.limit_in_bytes`, `cpu.cfs_quota_us`). On another system there are none. TRICKY: Node's
 * `process.constrainedMemory()` looks at one group alone, and returns 2^64 where version 1 has no limit.
 * @param root of the file system; a test has one of its own.
 */
export function readCgroupLimits(root = '/'): CgroupLimits {
  const groups = groupsOf(root);
  const memoryBytes = lowest([
    ...limitsIn(groups.unified, (folder) => numberIn(path.join(folder, 'memory.max'))),
    ...limitsIn(groups.memory, (folder) => numberIn(path.join(folder, 'memory.limit_in_bytes'))),
  ]);
  const cores = lowest([...limitsIn(groups.unified, coresOfMax), ...limitsIn(groups.cpu, coresOfQuota)]);
  return {
    ...(memoryBytes === undefined || memoryBytes >= mostBytes ? {} : { memoryBytes }),
    ...(cores === undefined ? {} : { cores }),
  };
}

/** Cores that this process may keep busy, at least one. Node 20 does not count a container's limit. */
export function usableCores({ cores = Infinity }: Pick<CgroupLimits, 'cores'> = readCgroupLimits()): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(cores)));
}

/** The groups of this process, from `/proc/self/cgroup`: lines of `<number>:<controllers>:<path>`, version 2 without controllers. */
function groupsOf(root: string): Readonly<Record<'unified' | 'memory' | 'cpu', Group | undefined>> {
  const mounts = path.join(root, 'sys', 'fs', 'cgroup');
  const lines = (textOf(path.join(root, 'proc', 'self', 'cgroup')) ?? '').split('\n').map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line));
  const groupOf = (isOne: (controllers: readonly string[]) => boolean, folder: string): Group | undefined => {
    const found = lines.find((line) => line !== null && isOne((line[1] ?? '').split(',')));
    return found?.[2] === undefined ? undefined : { folder: path.join(mounts, folder), path: found[2] };
  };
  return {
    unified: groupOf((controllers) => controllers.length === 1 && controllers[0] === '', ''),
    memory: groupOf((controllers) => controllers.includes('memory'), 'memory'),
    cpu: groupOf((controllers) => controllers.includes('cpu'), 'cpu'),
  };
}

/** What is read in the folder of a group and of each above it, up to where the hierarchy is mounted. */
function limitsIn(group: Group | undefined, read: (folder: string) => number | undefined): readonly number[] {
  if (group === undefined) return [];
  // A group outside of a container's own begins with `/..`.
  const names = group.path.split('/').filter((name) => name !== '');
  const inside = names.includes('..') ? [] : names;
  return Array.from({ length: inside.length + 1 }, (_, count) => read(path.join(group.folder, ...inside.slice(0, count)))).filter(
    (limit) => limit !== undefined,
  );
}

/** `<quota> <period>` in microseconds, or `max <period>`. */
function coresOfMax(folder: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)$/.exec(textOf(path.join(folder, 'cpu.max')) ?? '') ?? [];
  return quota === undefined ? undefined : Number(quota) / Number(period);
}

function coresOfQuota(folder: string): number | undefined {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => numberIn(path.join(folder, name)));
  return quota === undefined || period === undefined ? undefined : quota / period;
}

/** @returns undefined for `max`, -1 and anything else that is no number. */
function numberIn(file: string): number | undefined {
  const text = textOf(file) ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** A file that cannot be read limits nothing. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function lowest(limits: readonly number[]): number | undefined {
  return limits.length === 0 ? undefined : Math.min(...limits);
}
