import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import type { ChartSeries, RequestsOfSeries } from '../../ui/chart/chart-data.ts';
import type { Dimension } from './dimensions.ts';
import { type Course, type GroupCourse, groupId, type GroupKey, groupTitle } from './groups.ts';
import { groupColor } from './group-color.ts';
import { isSum, isUnpriced } from './metric-format.ts';

/** A value for each bucket: in sums a bucket without a request is 0, elsewhere a gap; so is a cost that no price tells. */
export function valuesOf(course: Course | undefined, starts: readonly number[], metric: AskedMetric): readonly (number | null)[] {
  const gap = isSum(metric) ? 0 : null;
  return starts.map((start) => {
    const figures = course?.get(start);
    return isUnpriced(metric, figures) ? null : (figures?.[metric] ?? gap);
  });
}

export interface GroupSeriesOptions {
  readonly metric: AskedMetric;
  readonly starts: readonly number[];
  readonly by: readonly Dimension[];
  /** All requests, where the metric adds up: what the groups leave is a series of its own. */
  readonly whole: Course | undefined;
  /** To which the name of a group leads. */
  readonly requestsOf?: ((key: GroupKey) => RequestsOfSeries | undefined) | undefined;
}

/** A series for each group, in its order, and of what adds up one for all others. */
export function groupSeries(
  courses: readonly GroupCourse[],
  { metric, starts, by, whole, requestsOf }: GroupSeriesOptions,
): readonly ChartSeries[] {
  const shown = courses.map(({ key, course }, index): ChartSeries => ({
    id: groupId(key),
    title: groupTitle(by, key),
    requests: requestsOf?.(key),
    isPart: true,
    color: groupColor(by, key, index),
    values: valuesOf(course, starts, metric),
  }));
  if (whole === undefined) return shown;
  const all = valuesOf(whole, starts, metric);
  const rest = all.map((value, index) => Math.max(0, (value ?? 0) - shown.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)));
  // Differences of sums of prices are not exactly 0.
  const isRest = rest.some((value, index) => value > (all[index] ?? 0) * 1e-9);
  return isRest ? [...shown, { id: 'other', title: 'other', isPart: true, color: 'other', values: rest }] : shown;
}
