import { RawJson } from '../../model/json/raw.ts';
import type { KnownNames } from '../hints/known-names.ts';
import type { HintProbe } from '../hints/probe.ts';
import { emptyProbes, nameProbe } from '../hints/hints.ts';
import type { MetricsAnswer } from './answer.ts';
import { type Dimension, keyOf, type MetricsPlan } from './plan.ts';
import { metricsStatement } from './statement.ts';

/** Possible reasons why an answer shows nothing, or no value of a property that it is grouped by; the likeliest first. */
export function metricsHintProbes(plan: MetricsPlan, { rows }: MetricsAnswer, known: KnownNames): readonly HintProbe[] {
  if (plan.limit === 0) return [];
  const groups = rows.filter((row) => row['other'] !== true && row['total'] !== true);
  if (groups.every((row) => isNothing(plan, row))) {
    return [...emptyProbes(plan, known, namesIn(plan.dimensions)), ...(plan.offset === 0 ? [] : [offsetProbe(plan)])];
  }
  const probe = nameProbe(plan, known, namesIn(plan.dimensions.filter((one) => groups.every((row) => row[keyOf(one)] === null))));
  return probe === undefined ? [] : [probe];
}

/** Groups exist of requests alone; without any group the one row may be of none. */
function isNothing({ dimensions, interval, metrics }: MetricsPlan, row: MetricsAnswer['rows'][number]): boolean {
  if (dimensions.length > 0 || interval !== undefined) return false;
  return metrics.every((name) => {
    const value = row[name];
    return value === null || value === 0 || (value instanceof RawJson && value.text === '0');
  });
}

function namesIn(dimensions: readonly Dimension[]): readonly string[] {
  return dimensions.flatMap((dimension) => (dimension.kind === 'property' ? [dimension.name] : []));
}

/** An offset behind the last group. */
function offsetProbe(plan: MetricsPlan): HintProbe {
  return {
    statement: metricsStatement({ ...plan, offset: 0, limit: 0, other: false, totals: false }),
    messageFor: ([row]) => (row === undefined ? undefined : `offset ${plan.offset} is past the last group`),
  };
}
