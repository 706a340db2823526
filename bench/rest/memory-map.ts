import { readFileSync } from 'node:fs';
import { processTree } from '../measure/process-table.ts';

/** The roles of Gatelog's processes, in display order. */
export const roles = ['supervisor', 'gateway', 'core'] as const;
export type Role = (typeof roles)[number];

/** Memory of one process, in bytes, and its number of threads. */
export interface ProcessMemory {
  readonly role: Role;
  readonly resident: number;
  /** Proportional set size: its private pages, and its share of shared ones. Over a tree these add up to the memory of the tree. */
  readonly proportional: number;
  /** Pages that this process alone has written: only its end frees them. */
  readonly privateDirty: number;
  readonly threads: number;
}

/** Memory of each process of the tree below a supervisor, as Linux counts it. */
export function memoryOfTree(supervisorPid: number): ProcessMemory[] {
  return processTree(supervisorPid).map(({ pid, command }) => ({
    role: pid === supervisorPid ? 'supervisor' : roleIn(command),
    ...memoryOf(pid),
  }));
}

function roleIn(command: readonly string[]): Role {
  const role = roles.find((name) => command.includes(name));
  if (role === undefined) throw new Error(`A process of the tree has no known role: ${command.join(' ')}`);
  return role;
}

function memoryOf(pid: number): Omit<ProcessMemory, 'role'> {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return {
    resident: bytesIn(rollup, 'Rss'),
    proportional: bytesIn(rollup, 'Pss'),
    privateDirty: bytesIn(rollup, 'Private_Dirty'),
    threads: Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]),
  };
}

function bytesIn(rollup: string, field: string): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1];
  if (kibibytes === undefined) throw new Error(`The system does not tell the field ${field} of a process' memory.`);
  return Number(kibibytes) * 1024;
}
