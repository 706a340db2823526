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
