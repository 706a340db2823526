import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type AskedMetric, definitionOf } from '../../../src/model/vocabulary/metrics.ts';
import type { FilterNode } from '../../../src/query/filter/ast.ts';
import { type Dimension, isOfSomebody } from '../../lib/metrics/dimensions.ts';
import { groupSeries, valuesOf } from '../../lib/metrics/chart-series.ts';
import { type BucketedRange, countedRange, sinceFirst } from '../../lib/buckets.ts';
import type { ChartSeries } from '../../ui/chart/chart-data.ts';
import {
  courseQuery,
  type Figures,
  groupCoursesQuery,
  type Group,
  type GroupKey,
  type Groups,
  groupsQuery,
  sessionNamesQuery,
} from '../../lib/metrics/groups.ts';
import { metricTitle } from '../../lib/metrics/metric-format.ts';
import { requestsOfMetric } from '../../lib/metrics/requests-of.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { useBuckets, wideChart } from '../../lib/use-buckets.ts';

/** What is asked. */
export interface Exploration {
  readonly filter: FilterNode;
  /** The filter as the search that groups over time lead to; absent: they lead to no requests. */
  readonly q?: string | undefined;
  readonly range: RangeSearch;
  readonly metrics: readonly AskedMetric[];
  /** Further metrics of the groups, which are not drawn. */
  readonly shown?: readonly AskedMetric[];
  readonly by: readonly Dimension[];
  readonly sort: AskedMetric;
  readonly order: 'asc' | 'desc';
  readonly top: number;
  /** Width of a chart in a window of this width; absent: charts are as wide as the page. */
  readonly chartWidth?: (windowWidth: number) => number;
  /** Whether figures over time are asked for, too. */
  readonly isOverTime: boolean;
}

/** Where a range without a start begins. */
const oldestMs = 1826 * 86_400_000;
/** A line chart takes no more colours than there are. */
const maxLines = 8;

/** The groups with their figures, and every metric over time. */
export function useExploration({ filter, q, range, metrics, shown, by, sort, order, top, ...charts }: Exploration) {
  const { isOverTime, chartWidth = wideChart } = charts;
  const buckets = useBuckets(range, { oldestMs, chartWidth });
  const { start: from, to } = buckets;
  const asked = useMemo(() => withUnpriced([...metrics, ...(shown ?? []), sort]), [metrics, shown, sort]);
  const isAllTime = range.range === 'all';
  const groups = useQuery(
    groupsQuery({ filter, from: isAllTime ? undefined : from, to, metrics: asked, by, sort: { [sort]: order }, limit: top }),
  );
  const ordered = useMemo(() => (groups.data === undefined ? undefined : withAbsentLast(groups.data, by)), [groups.data, by]);
  const keys = by.length === 0 ? [] : (ordered?.groups ?? []).slice(0, maxLines).map(({ key }) => key);
  const course = useSeries({ filter, q, buckets, metrics, by, keys, isEnabled: isOverTime });
  const sessions = by.includes('session') ? (ordered?.groups ?? []).flatMap(({ key }) => key[by.indexOf('session')] ?? []) : [];
  const names = useQuery(sessionNamesQuery(filter, [...new Set(sessions.map(String))], { from, to }));
  return {
    names: names.data,
    buckets: course.buckets,
    counted: countedRange(buckets),
    groups: ordered,
    seriesOf: course.seriesOf,
    shownLines: keys.length,
    error: groups.error ?? course.error,
    isLoading: groups.isPending || course.isLoading,
  };
}

interface SeriesQuery extends Pick<Exploration, 'filter' | 'q' | 'by'> {
  readonly buckets: BucketedRange;
  readonly metrics: readonly AskedMetric[];
  readonly keys: readonly GroupKey[];
  readonly isEnabled: boolean;
}

function useSeries({ filter, q, buckets, metrics, by, keys, isEnabled }: SeriesQuery) {
  const { from, to, interval } = buckets;
  const isSplit = by.length > 0;
  const query = { filter, from, to, interval, metrics: withUnpriced(metrics) };
  const needsWhole = !isSplit || metrics.some((metric) => definitionOf(metric).additive);
  const whole = useQuery({ ...courseQuery(query), enabled: isEnabled && needsWhole });
  const split = useQuery({ ...groupCoursesQuery({ ...query, by, keys }), enabled: isEnabled && keys.length > 0 });
  const drawn = useMemo(
    () => sinceFirst(buckets, whole.data, ...(split.data ?? []).map(({ course }) => course)),
    [buckets, whole.data, split.data],
  );
  const { starts } = drawn;
  const seriesOf = useMemo(() => {
    const drawnOf = (metric: AskedMetric): readonly ChartSeries[] => {
      if (!isSplit) return [{ id: metric, title: metricTitle(metric), color: 1, values: valuesOf(whole.data, starts, metric) }];
      return groupSeries(split.data ?? [], {
        metric,
        starts,
        by,
        whole: definitionOf(metric).additive ? whole.data : undefined,
        requestsOf: q === undefined ? undefined : (key) => requestsOfMetric({ q, range: countedRange(buckets), by, key }, metric),
      });
    };
    return new Map(metrics.map((metric) => [metric, drawnOf(metric)]));
  }, [starts, q, buckets, by, metrics, isSplit, whole.data, split.data]);
  const error = isEnabled ? (whole.error ?? split.error) : null;
  return { seriesOf, buckets: drawn, error, isLoading: isEnabled && keys.length > 0 && split.isPending };
}

/** Money is never shown without what it leaves out. */
function withUnpriced(metrics: readonly AskedMetric[]): readonly AskedMetric[] {
  const needed: readonly AskedMetric[] = metrics.includes('cost') ? ['unpriced_count'] : [];
  return [...new Set([...metrics, ...needed])];
}

/** Requests without a session or a user are none of them: they stand behind those that are. */
export function withAbsentLast(answer: Groups, by: readonly Dimension[]): Groups {
  const isAbsent = ({ key }: Group): boolean => key.some((value, index) => value === null && isOfSomebody(by[index] ?? ''));
  const { groups } = answer;
  return { ...answer, groups: [...groups.filter((group) => !isAbsent(group)), ...groups.filter(isAbsent)] };
}

export interface PivotTable {
  readonly columns: readonly GroupKey[];
  readonly rows: readonly { readonly key: GroupKey; readonly cells: readonly (Figures | undefined)[] }[];
}

/** Groups of two dimensions and more: the values of the last one side by side, in the order in which they are most expensive. */
export function pivotOf({ groups }: Groups): PivotTable {
  const columns = distinct(groups.map(({ key }) => key.slice(-1)));
  const rows = distinct(groups.map(({ key }) => key.slice(0, -1)));
  const cells = new Map(groups.map(({ key, figures }) => [JSON.stringify(key), figures]));
  return { columns, rows: rows.map((key) => ({ key, cells: columns.map((column) => cells.get(JSON.stringify([...key, ...column]))) })) };
}

function distinct(keys: readonly GroupKey[]): readonly GroupKey[] {
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
