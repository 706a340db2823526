import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import path from 'node:path';

/** A third of the weight of an ordinary process. At less, a saturating load starves the storing of records. */
const below = 5;
/** Passes that catch threads started meanwhile. */
const maxPasses = 10;

/**
 * Lowers the priority of every thread of this process, and so of threads they start; a thread with a lower priority keeps it. A system
 * that forbids it changes nothing else. TRICKY: on Linux priorities belong to threads, so a running process cannot be lowered as a whole.
 */
export function lowerPriority(): void {
  const threads = processThreadIds();
  if (threads === undefined) {
    trySetPriority(0, below);
    return;
  }
  let higher = threads.filter(isHigher);
  for (let pass = 0; higher.length > 0 && pass < maxPasses; pass += 1) {
    for (const thread of higher) trySetPriority(thread, below);
    higher = (processThreadIds() ?? []).filter(isHigher);
  }
}

/**
 * Lowers the priority of this process' threads of one name. Threads that start later are not affected. TRICKY: only Linux has priorities
 * of threads; elsewhere the call would affect the whole process, so nothing changes.
 */
export function lowerThreadsNamed(name: string): void {
  for (const thread of processThreadIds() ?? []) if (nameOf(thread) === name) trySetPriority(thread, constants.priority.PRIORITY_LOW);
}

/** Lowers the priority of the calling thread, as {@link lowerPriority} does. TRICKY: only where priorities belong to threads. */
export function lowerThisThread(): void {
  const thread = thisThreadId();
  if (thread !== undefined) trySetPriority(thread, below);
}

function thisThreadId(): number | undefined {
  try {
    return Number(path.basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined;
  }
}

function isHigher(thread: number): boolean {
  try {
    return getPriority(thread) < below;
  } catch {
    // The thread has ended.
    return false;
  }
}

/** Undefined where threads have no priorities. */
function processThreadIds(): number[] | undefined {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return undefined;
  }
}

/** Undefined for a thread that has ended meanwhile. */
function nameOf(thread: number): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function trySetPriority(id: number, priority: number): void {
  try {
    setPriority(id, priority);
  } catch {
    // Some systems forbid it; the program works without.
  }
}
