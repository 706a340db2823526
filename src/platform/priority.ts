import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';

/** Lets other processes go first when cores are short. A system that forbids it changes nothing else. */
export function lowerPriority(): void {
  trySetPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}

/**
 * Lets every other thread go first when cores are short, those of this process too. Call it in the thread that shall yield.
 * TRICKY: only Linux has priorities of threads. Elsewhere nothing changes, as the same call would be about the whole process.
 */
export function lowerThreadPriority(): void {
  const thread = ownThreadId();
  if (thread !== undefined) trySetPriority(thread, constants.priority.PRIORITY_LOW);
}

function ownThreadId(): number | undefined {
  try {
    return Number(path.basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined;
  }
}

function trySetPriority(id: number, priority: number): void {
  try {
    setPriority(id, priority);
  } catch {
    // Not every system lets a process change its priority; nothing depends on it.
  }
}
