import { RawJson } from '../../model/json/raw.ts';
import { type AskedMetric, definitionOf, dimensions, exactDistinct } from '../../model/vocabulary/metrics.ts';
import { timeTextIn } from '../time-text.ts';
import { keyOf, type MetricsPlan } from './plan.ts';
import type { MetricsRow } from './statement.ts';

/** The key of a group, the start of a bucket, a metric; or true in a row that sums others up. */
export type MetricsCell = string | number | boolean | RawJson<number> | null;
/** By the name of the dimension or metric. */
export type MetricsCells = Readonly<Record<string, MetricsCell>>;

export interface MetricsAnswer {
  readonly rows: readonly MetricsCells[];
  /** Rows were left out, and none tells what they make. */
  readonly isCut: boolean;
  readonly approximate: readonly AskedMetric[];
}

/** Rows of {@link metricsStatement} in the API's shape. */
export function metricsAnswer(plan: MetricsPlan, rows: readonly MetricsRow[]): MetricsAnswer {
  const shown = rows.filter(({ kind }) => kind === 'row').slice(0, plan.limit);
  const isCut = !plan.other && !plan.totals && rows.length > plan.limit;
  const summed = (kind: 'other' | 'total'): MetricsCells => ({
    [kind]: true,
    ...valuesOf(
      plan,
      rows.find((row) => row.kind === kind),
    ),
  });
  return {
    rows: [
      ...shown.map((row) => ({ ...keysOf(plan, row), ...valuesOf(plan, row) })),
      ...(plan.other ? [summed('other')] : []),
      ...(plan.totals ? [summed('total')] : []),
    ],
    isCut: isCut || (!plan.other && plan.totals && rows.some(({ kind }) => kind === 'other')),
    approximate: plan.metrics.filter(
      (name, index) => isDistinct(name) && rows.some((row) => Number(row[`metric_${index}`]) > exactDistinct),
    ),
  };
}

function keysOf(plan: MetricsPlan, row: MetricsRow): MetricsCells {
  const keys: Record<string, MetricsCell> = {};
  for (const [index, dimension] of plan.dimensions.entries()) {
    const value = row[`dimension_${index}`] ?? null;
    // Of properties and inputs an empty text is a value.
    const isAbsent = dimension.kind === 'column' && dimensions[dimension.name].type === 'text' && value === '';
    keys[keyOf(dimension)] = isAbsent ? null : value;
  }
  if (plan.interval !== undefined) keys['time'] = timeTextIn(Number(row.bucket_ms), Number(row.bucket_offset));
  return keys;
}

/** @param row undefined: of no requests. */
function valuesOf({ metrics: names }: MetricsPlan, row: MetricsRow | undefined): MetricsCells {
  return Object.fromEntries(
    names.map((name, index) => [name, row === undefined ? valueOfNone(name) : numberOf(name, row[`metric_${index}`] ?? null)]),
  );
}

function valueOfNone(name: AskedMetric): number | null {
  return definitionOf(name).additive || isDistinct(name) ? 0 : null;
}

/** Sums are written with all their digits, which a number of JavaScript may not hold. */
function numberOf(name: AskedMetric, text: string | null): number | RawJson<number> | null {
  if (text === null) return null;
  if (definitionOf(name).additive) return new RawJson<number>(text);
  const number = Number(text);
  // The engine writes `nan` and, for scores whose sum exceeds all numbers, `inf`.
  return Number.isFinite(number) ? number : null;
}

function isDistinct(name: AskedMetric): boolean {
  return definitionOf(name).distinct === true;
}
