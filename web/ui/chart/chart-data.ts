import type { RelativeRange } from '../../lib/time-range.ts';

/** What the address of the requests says of a series. */
export interface RequestsOfSeries {
  readonly q?: string | undefined;
  readonly range?: RelativeRange | undefined;
  /** Unix milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** What the address of the requests says of a bucket. Unix milliseconds. */
export interface RequestsOfBucket {
  readonly q?: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** One line or stack of bars. */
export interface ChartSeries {
  readonly id: string;
  readonly title: string;
  /** 1 to 8, or what all others make together. One colour is one thing on a page. */
  readonly color: number | 'other';
  /** One for each time; null is a gap: lines break, bars have nothing. */
  readonly values: readonly (number | null)[];
  /** Of the period before: behind the others and pale. */
  readonly isBefore?: boolean;
  /** To which its name in the legend leads; absent: to none. */
  readonly requests?: RequestsOfSeries | undefined;
  /** It is of some of the requests only: its points lead to `requests`, or to none. */
  readonly isPart?: boolean;
}

/** A value on the axis of values, such as a threshold. */
export interface ChartLine {
  readonly value: number;
  readonly label: string;
}

/** A span of time that stands out, such as an incident. Unix milliseconds; without an end it lasts. */
export interface ChartBand {
  readonly from: number;
  readonly to: number | undefined;
}

/** `steps` are lines whose values hold until the next. */
export type ChartKind = 'line' | 'steps' | 'bars';

/** Stacked values: each series with those before it below. A gap counts as nothing. */
export function stackedValues(series: readonly (readonly (number | null)[])[]): readonly (readonly number[])[] {
  const below: number[] = [];
  return series.map((values) =>
    values.map((value, index) => {
      const sum = (below[index] ?? 0) + (value ?? 0);
      below[index] = sum;
      return sum;
    }),
  );
}

/** The requests of a point of a series; undefined where it has none, or no search says which. */
export function requestsOfPoint(
  { values, requests, isPart = false, isBefore = false }: ChartSeries,
  index: number,
  bucket: RequestsOfBucket | undefined,
): RequestsOfBucket | undefined {
  if (bucket === undefined || isBefore || (values[index] ?? 0) === 0) return undefined;
  if (requests !== undefined) return { ...bucket, q: requests.q };
  return isPart ? undefined : bucket;
}

/** Where a chart is pointed at. */
export interface PointedAt {
  readonly index: number;
  readonly value: number;
  /** How far from a line it is still pointed at, as a value. */
  readonly reach: number;
}

/** The series that is pointed at: the bar of that height, or the line that is next; undefined: none is there. */
export function seriesAt(kind: ChartKind, series: readonly ChartSeries[], { index, value, reach }: PointedAt): ChartSeries | undefined {
  const heightOf = ({ values }: ChartSeries): number => values[index] ?? 0;
  const shown = series.filter((one) => one.isBefore !== true && heightOf(one) !== 0);
  if (kind === 'bars') {
    const tops = stackedValues(shown.map((one) => [heightOf(one)]));
    return value < 0 ? undefined : shown.find((_one, place) => value <= (tops[place]?.[0] ?? 0));
  }
  const distanceOf = (one: ChartSeries): number => Math.abs(heightOf(one) - value);
  const [next] = shown.toSorted((one, other) => distanceOf(one) - distanceOf(other));
  return next !== undefined && distanceOf(next) <= reach ? next : undefined;
}

/** What is certain of a series, and what may still grow. */
export interface PartedSeries {
  readonly certain: readonly (number | null)[];
  readonly open: readonly (number | null)[];
}

/** @param incompleteFrom Index of the first incomplete value. */
export function splitAt(values: readonly (number | null)[], incompleteFrom: number): PartedSeries {
  return {
    certain: values.map((value, index) => (index < incompleteFrom ? value : null)),
    open: values.map((value, index) => (index >= incompleteFrom ? value : null)),
  };
}

/** As {@link splitAt} for a line, whose step into the first incomplete value is drawn with the open part. */
export function partAt(values: readonly (number | null)[], incompleteFrom: number): PartedSeries {
  const { certain } = splitAt(values, incompleteFrom);
  return { certain, open: splitAt(values, incompleteFrom - 1).open };
}

/** The values between gaps, or between a gap and an end: no line is seen of them. */
export function loneIndexes(values: ArrayLike<number | null | undefined>): number[] {
  const isThere = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return Array.from({ length: values.length }, (_none, index) => index).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
}
