import { type ProcessNumbers, seriesIn } from './exposition.ts';

/**
 * Sum of the counters or gauges of a name over all processes. @param values of labels that count; without one every series does.
 * @returns undefined when no process has set one.
 */
export function sumOf(numbers: readonly ProcessNumbers[], name: string, values: readonly string[] = []): number | undefined {
  const found = numbers
    .flatMap((one) => one.families.filter((family) => family.name === name).flatMap((family) => seriesIn(family, one)))
    .filter(({ labels }) => values.every((value) => labels.some(([, text]) => text === value)))
    .map(({ cells }) => cells[0] ?? Number.NaN)
    .filter((value) => !Number.isNaN(value));
  return found.length === 0 ? undefined : found.reduce((sum, value) => sum + value, 0);
}

/** Buckets of a histogram of a name, added up over all series and processes. */
export interface HistogramFigures {
  readonly bounds: readonly number[];
  /** One for each bound, and one above them all. */
  readonly counts: readonly number[];
}

export function histogramOf(numbers: readonly ProcessNumbers[], name: string): HistogramFigures {
  const found = numbers.flatMap((one) =>
    one.families
      .filter((family) => family.name === name)
      .flatMap((family) => seriesIn(family, one).map(({ cells }) => ({ family, cells }))),
  );
  const bounds = found[0]?.family.bounds ?? [];
  const counts = [...bounds, Infinity].map((_bound, index) => found.reduce((sum, { cells }) => sum + (cells[index] ?? 0), 0));
  return { bounds, counts };
}

/**
 * A quantile of what a histogram counted since its earlier counts, as Prometheus estimates it: evenly spread within a bucket, and the last
 * bound for what is above it. @returns null when nothing was counted.
 */
export function quantileOf({ bounds, counts }: HistogramFigures, before: readonly number[], quantile: number): number | null {
  const added = counts.map((count, index) => Math.max(0, count - (before[index] ?? 0)));
  const total = added.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = quantile * total;
  let below = 0;
  for (const [index, count] of added.entries()) {
    const bound = bounds[index];
    if (bound === undefined) break;
    if (count > 0 && below + count >= rank) {
      const lower = bounds[index - 1] ?? 0;
      return lower + (bound - lower) * ((rank - below) / count);
    }
    below += count;
  }
  return bounds.at(-1) ?? null;
}
