/** Waiting times that double from `firstMs` to `mostMs`; `reset` after a success. */
export interface Backoff {
  readonly nextDelayMs: () => number;
  readonly reset: () => void;
}

/** Waiting times in milliseconds. */
export function makeBackoff(firstMs: number, maxMs: number): Backoff {
  let current = firstMs;
  return {
    nextDelayMs: () => {
      const waiting = current;
      current = Math.min(maxMs, current * 2);
      return waiting;
    },
    reset: () => {
      current = firstMs;
    },
  };
}
