/** One number measured in several rounds. */
export interface Spread {
  readonly median: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** Null without values: not measured is not zero. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((left, right) => left - right);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.ceil((sorted.length - 1) / 2)];
  const minimum = sorted[0];
  const maximum = sorted.at(-1);
  if (lower === undefined || upper === undefined || minimum === undefined || maximum === undefined) return null;
  return { median: (lower + upper) / 2, minimum, maximum };
}
