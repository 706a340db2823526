import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks again until there is an answer.
 * @throws after `withinMs`, with what was being waited for.
 */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined> | T | undefined, withinMs = 10_000): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > until) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await wait(10);
  }
}
