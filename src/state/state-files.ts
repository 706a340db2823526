import path from 'node:path';
import { readFileIfPresent } from '../platform/files.ts';

/** The state of this boot. */
export function stateFile(folder: string): string {
  return path.join(folder, `state-${readBootId()}.mdb`);
}

/** Whether a file is the state of this boot or of another. */
export function isStateName(name: string): boolean {
  return /^state-[\w-]+\.mdb$/.test(name);
}

/** Names the state that a stop has synced. */
export function syncedMarkFile(folder: string): string {
  return path.join(folder, 'synced');
}

/** Its write lock is what the users of the state hold; it holds nothing. */
export function mutexFile(folder: string): string {
  return path.join(folder, 'mutex.mdb');
}

/** An unusable state is moved here, and a new one takes its place. */
export function damagedStateFile(folder: string): string {
  return path.join(folder, 'damaged.mdb');
}

/** A copy on which a state is tested; one left behind is removed like the states of earlier boots. */
export function stateCopyFile(folder: string): string {
  return path.join(folder, 'state-copy.tmp');
}

/** Linux identifies each boot. Elsewhere all boots count as the same one. */
function readBootId(): string {
  const id = process.platform === 'linux' ? readFileIfPresent('/proc/sys/kernel/random/boot_id')?.trim() : undefined;
  return id ?? 'any';
}
