export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/** Slope of the least-squares line through the samples, per second; null for fewer than two moments. */
export function slopePerSecond(samples: readonly Sample[]): number | null {
  const [meanAtMs, mean] = [meanOf(samples.map(({ atMs }) => atMs)), meanOf(samples.map(({ value }) => value))];
  let [above, below] = [0, 0];
  for (const { atMs, value } of samples) {
    above += (atMs - meanAtMs) * (value - mean);
    below += (atMs - meanAtMs) ** 2;
  }
  return below === 0 ? null : (above / below) * 1000;
}

/**
 * The slope for most of the time, per second: the median of the slopes between every two samples (Theil–Sen). A temporary rise does not
 * change it, whereas the line of {@link slopePerSecond} is tilted by a rise near its end. Null for fewer than two moments.
 */
export function lastingSlopePerSecond(samples: readonly Sample[]): number | null {
  const slopes = samples
    .flatMap((one, index) => samples.slice(index + 1).map((other) => ((other.value - one.value) / (other.atMs - one.atMs)) * 1000))
    .filter(Number.isFinite)
    .toSorted((one, other) => one - other);
  const middle = slopes.length / 2;
  const [low, high] = [slopes[Math.ceil(middle) - 1], slopes[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
