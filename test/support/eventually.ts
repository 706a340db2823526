import { setTimeout as wait } from 'node:timers/promises';

/** A longer gap between two attempts means that the machine was busy or this process was stopped; it does not count as waiting. */
const maxGapMs = 500;

/** Bounds of the pause between two attempts: one that takes long, such as a query, must not keep busy what it waits for. */
const [minPauseMs, maxPauseMs] = [10, 200];

/** Repeats `ask` until it returns a value. @throws after `withinMs` of waiting, naming the awaited condition. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined> | T | undefined, withinMs = 60_000): Promise<T> {
  for (let waitedMs = 0, attemptedAt = performance.now(); ;) {
    const result = await ask();
    if (result !== undefined) return result;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    const askedMs = performance.now() - attemptedAt;
    await wait(Math.min(maxPauseMs, Math.max(minPauseMs, askedMs * 4)));
    const now = performance.now();
    waitedMs += Math.min(now - attemptedAt, maxGapMs);
    attemptedAt = now;
  }
}
