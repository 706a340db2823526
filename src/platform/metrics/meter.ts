/**
 * A metric. Names and units follow Prometheus: seconds, bytes, `_total` for counters. Invariant: the values of a label are a closed list.
 * Values from callers (organisation, model, user, path) are never labels, so the number of series is known before the first call.
 */
export interface MetricFamily {
  readonly name: `gatelog_${string}`;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** One sentence for a dashboard. */
  readonly help: string;
  /** Every value of every label. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram's buckets, ascending; the last bucket has none. */
  readonly bounds?: readonly number[];
}

/** Metrics of one process in consecutive cells: one per series; a histogram has its buckets and then its sum. */
export class Meter {
  readonly families: readonly MetricFamily[];
  /** A gauge that was never set is NaN. */
  readonly cells: Float64Array;
  private readonly starts = new Map<MetricFamily, number>();

  constructor(families: readonly MetricFamily[]) {
    this.families = families;
    let size = 0;
    for (const family of families) {
      this.starts.set(family, size);
      size += seriesCount(family) * cellsOfSeries(family);
    }
    this.cells = new Float64Array(size);
    for (const family of families) if (family.kind === 'gauge') this.cells.fill(Number.NaN, this.startOf(family), this.endOf(family));
  }

  /** The first cell of a family. Its series follow in the order of the labels' values, the last label varying fastest. */
  startOf(family: MetricFamily): number {
    const start = this.starts.get(family);
    if (start === undefined) throw new Error(`${family.name} is not measured here`);
    return start;
  }

  /** The cell behind the last one of a family. */
  endOf(family: MetricFamily): number {
    return this.startOf(family) + seriesCount(family) * cellsOfSeries(family);
  }

  add(family: MetricFamily, values: readonly string[], amount = 1): void {
    const cell = this.seriesAt(family, values);
    this.cells[cell] = (this.cells[cell] ?? 0) + amount;
  }

  set(family: MetricFamily, values: readonly string[], value: number): void {
    this.cells[this.seriesAt(family, values)] = value;
  }

  record(family: MetricFamily, values: readonly string[], value: number): void {
    countInBucket(this.cells, this.seriesAt(family, values), family.bounds ?? [], value);
  }

  private seriesAt(family: MetricFamily, values: readonly string[]): number {
    let index = 0;
    let label = 0;
    for (const known of Object.values(family.labels ?? {})) {
      const position = known.indexOf(values[label] ?? '');
      if (position === -1) throw new Error(`${family.name} has no label value ${JSON.stringify(values[label])}`);
      index = index * known.length + position;
      label += 1;
    }
    return this.startOf(family) + index * cellsOfSeries(family);
  }
}

/** @param start the first cell of the series. */
export function countInBucket(cells: Float64Array, start: number, bounds: readonly number[], value: number): void {
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
  const sum = start + bounds.length + 1;
  cells[start + bucket] = (cells[start + bucket] ?? 0) + 1;
  cells[sum] = (cells[sum] ?? 0) + value;
}

/** Cells of one series: a histogram has one per bound, one above them all, and the sum. */
export function cellsOfSeries({ kind, bounds = [] }: MetricFamily): number {
  return kind === 'histogram' ? bounds.length + 2 : 1;
}

/** Every combination of the labels' values, in the order of their cells. */
export function seriesOf({ labels = {} }: MetricFamily): readonly (readonly (readonly [string, string])[])[] {
  let all: readonly (readonly (readonly [string, string])[])[] = [[]];
  for (const [name, values] of Object.entries(labels)) {
    all = all.flatMap((before) => values.map((value) => [...before, [name, value] as const]));
  }
  return all;
}

function seriesCount({ labels = {} }: MetricFamily): number {
  return Object.values(labels).reduce((count, values) => count * values.length, 1);
}

/** Bounds of durations with waits and work, seconds: from a millisecond to a minute. */
export const secondsBounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
