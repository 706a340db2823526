/** A value at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/** Slope of the straight line that fits the samples best (least squares), per second; null for fewer than two moments. */
export function slopePerSecond(samples: readonly Sample[]): number | null {
  const [meanAtMs, mean] = [meanOf(samples.map(({ atMs }) => atMs)), meanOf(samples.map(({ value }) => value))];
  let [above, below] = [0, 0];
  for (const { atMs, value } of samples) {
    above += (atMs - meanAtMs) * (value - mean);
    below += (atMs - meanAtMs) ** 2;
  }
  return below === 0 ? null : (above / below) * 1000;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
