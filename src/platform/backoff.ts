import { setTimeout as wait } from 'node:timers/promises';

/** Waiting times that double from `firstMs` to `mostMs`; `reset` after a success. */
export interface Backoff {
  readonly nextMs: () => number;
  readonly reset: () => void;
}

/** Waiting times in milliseconds. */
export function makeBackoff(firstMs: number, mostMs: number): Backoff {
  let current = firstMs;
  return {
    nextMs: () => {
      const waiting = current;
      current = Math.min(mostMs, current * 2);
      return waiting;
    },
    reset: () => {
      current = firstMs;
    },
  };
}

export interface UntilDoneOptions {
  readonly backoff: Backoff;
  /** Aborted when it must stop. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown, retryInMs: number) => void;
}

/** Does what fails again until it is done. @throws the abort reason when told to stop. */
export async function untilDone(work: () => Promise<void>, { backoff, signal, onFailure }: UntilDoneOptions): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      await work();
      return;
    } catch (error) {
      signal.throwIfAborted();
      const retryInMs = backoff.nextMs();
      onFailure(error, retryInMs);
      await wait(retryInMs, undefined, { signal });
    }
  }
}
