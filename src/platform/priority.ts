import { constants, setPriority } from 'node:os';

/** Lets other processes go first when cores are short. A system that forbids it changes nothing else. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not every system lets a process change its priority; nothing depends on it.
  }
}
