/** A generator of numbers that a seed decides. */
export interface SeededRandom {
  /** From 0 to below 1. */
  readonly next: () => number;
  readonly between: (low: number, high: number) => number;
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value;
  readonly chance: (share: number) => boolean;
  /** A UUID of version 4. */
  readonly uuid: () => string;
  /** Letters and digits, as identifiers of providers have. */
  readonly token: (length: number) => string;
}

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** Mulberry32: small, and even enough for figures to look at. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits: number): string => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  return {
    next,
    between: (low, high) => Math.floor(low + next() * (high - low + 1)),
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
    chance: (share) => next() < share,
    token: (length) => Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join(''),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}
