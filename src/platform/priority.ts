import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import path from 'node:path';

/** A third of the weight of an ordinary process. With less, a load that leaves no core idle starves what stores its records. */
const below = 5;
/** Looks for threads that began while the others were lowered. */
const maxPasses = 10;

/**
 * Lets other processes go first when cores are short: every thread of this process, and so those that they start. A thread that has a lower
 * priority keeps it. A system that forbids it changes nothing else.
 * TRICKY: on Linux a priority is a thread's, so a process that runs already is not lowered by its own number.
 */
export function lowerPriority(): void {
  const threads = ownThreadIds();
  if (threads === undefined) {
    trySetPriority(0, below);
    return;
  }
  let higher = threads.filter(isHigher);
  for (let pass = 0; higher.length > 0 && pass < maxPasses; pass += 1) {
    for (const thread of higher) trySetPriority(thread, below);
    higher = (ownThreadIds() ?? []).filter(isHigher);
  }
}

/**
 * Lets every other thread go before those of this name when cores are short, those of this process too. Threads that begin later are not meant.
 * TRICKY: only Linux has priorities of threads. Elsewhere nothing changes, as the same call would be about the whole process.
 */
export function lowerThreadsNamed(name: string): void {
  for (const thread of ownThreadIds() ?? []) if (nameOf(thread) === name) trySetPriority(thread, constants.priority.PRIORITY_LOW);
}

/**
 * Lets other threads go first when cores are short, as {@link lowerPriority} does, of the one alone that calls this.
 * TRICKY: as above, only where a priority is a thread's.
 */
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
    // It has ended meanwhile.
    return false;
  }
}

/** Undefined where threads have no priorities of their own. */
function ownThreadIds(): number[] | undefined {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return undefined;
  }
}

/** Undefined of a thread that has ended meanwhile. */
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
    // Not every system lets a process change its priority; nothing depends on it.
  }
}
