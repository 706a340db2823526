/** Delays that double from `firstMs` to `maxMs`; `reset` after a success. */
export interface Backoff {
  readonly nextDelayMs: () => number;
  readonly reset: () => void;
}

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
