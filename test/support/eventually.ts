import { setTimeout as wait } from 'node:timers/promises';

/** More than this between two looks is not waiting: the machine was busy elsewhere, or this process was stopped. */
const maxLookMs = 500;

/**
 * Asks again until there is an answer.
 * @throws after `withinMs` of waiting, with what was being waited for.
 */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined> | T | undefined, withinMs = 60_000): Promise<T> {
  for (let waitedMs = 0, lookedAt = performance.now(); ;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await wait(10);
    const now = performance.now();
    waitedMs += Math.min(now - lookedAt, maxLookMs);
    lookedAt = now;
  }
}
