import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { allOf, type FilterNode } from '../../../src/query/filter/ast.ts';
import { parseSearch } from '../../../src/query/language/parse.ts';
import { type BucketedRange, sinceFirst } from '../../lib/buckets.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import {
  courseQuery,
  coursesOfAllQuery,
  type Figures,
  type GroupCourse,
  groupCoursesQuery,
  type GroupKey,
  groupId,
  type Groups,
  groupsQuery,
} from '../../lib/metrics/groups.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { chartInRow, useBuckets } from '../../lib/use-buckets.ts';
import type { Split } from './overview-card.tsx';

/** The figures of the charts, and those that the table of groups shows beside them. */
const metrics: readonly MetricName[] = [
  'count',
  'errors',
  'error_rate',
  'cost',
  'unpriced_count',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'prompt_cache_read_tokens',
  'prompt_cache_read_rate',
  'prompt_cache_savings',
  'p50_latency',
  'p95_latency',
  'p99_latency',
  'p50_time_to_first_token',
  'p95_time_to_first_token',
  'p99_time_to_first_token',
  'users',
  'sessions',
  'cached_count',
];

/** A group of requests with its figures now and in the period before. */
export interface ComparedGroup {
  readonly key: GroupKey;
  readonly now: Figures | undefined;
  readonly before: Figures | undefined;
}

export interface OverviewQuery {
  readonly filter: FilterNode;
  readonly range: RangeSearch;
  /** The dimension by which the charts are split; undefined: they are not. */
  readonly by: Dimension | undefined;
  /** Dimension of the table of groups. */
  readonly moved: Dimension;
  /** Another number gets the range again, up to now. */
  readonly renewals: number;
}

/** Groups that the charts show; the others are one. */
export const shownGroups = 7;
/** Groups that are compared with those before. */
const comparedGroups = 1000;
/** Where a range without a start begins. */
const oldestMs = 1826 * 86_400_000;

/** The least width of a card and the gap behind it. */
const cardPixels = 396;
const room = { oldestMs, chartWidth: chartInRow(cardPixels) };

const failed = parseSearch('failed:true').filter;

/** What an overview shows. It asks once, and once more for the charts of groups. */
export function useOverview({ filter, range, by, moved, renewals }: OverviewQuery) {
  const buckets = useBuckets(range, room, renewals);
  const { from, to, interval, before, isOpen } = buckets;
  const course = useQuery(courseQuery({ filter, from: isOpen ? from : before.from, to, interval, metrics }));
  const groups = useComparedGroups(filter, moved, buckets);
  const kinds = useQuery({
    ...coursesOfAllQuery({
      filter: allOf([filter, failed]),
      from,
      to,
      interval,
      metrics: ['errors'],
      by: ['failure_type'],
      most: shownGroups,
    }),
    enabled: by === undefined,
  });
  const splitGroups = useComparedGroups(filter, by ?? moved, buckets);
  const keys = splitGroups.rows.filter(({ now }) => now !== undefined).slice(0, shownGroups);
  const split = useQuery({
    ...groupCoursesQuery({ filter, from, to, interval, metrics, by: by === undefined ? [] : [by], keys: keys.map(({ key }) => key) }),
    enabled: by !== undefined && keys.length > 0,
  });
  const shown = by === undefined ? undefined : split;
  const drawn = useMemo(() => sinceFirst(buckets, course.data), [buckets, course.data]);
  return {
    buckets: drawn,
    groups,
    course: course.data,
    split: useMemo(() => splitOf(by, shown?.data), [by, shown?.data]),
    kinds: useMemo(() => splitOf('failure_type', by === undefined ? kinds.data : undefined), [by, kinds.data]),
    error: course.error ?? groups.error ?? splitGroups.error ?? kinds.error ?? shown?.error ?? null,
    isLoading: course.isPending || groups.isLoading,
  };
}

function splitOf(by: Dimension | undefined, courses: readonly GroupCourse[] | undefined): Split | undefined {
  return by === undefined || courses === undefined ? undefined : { by, courses };
}

function useComparedGroups(filter: FilterNode, by: Dimension, { start, to, before, isOpen }: BucketedRange) {
  const query = { filter, metrics, by: [by], sort: { cost: 'desc', count: 'desc' }, limit: comparedGroups } as const;
  const now = useQuery(groupsQuery({ ...query, from: start, to }));
  const earlier = useQuery({ ...groupsQuery({ ...query, from: before.start, to: start }), enabled: !isOpen });
  // Nothing goes before all time, though figures of the range before are still there.
  const ofBefore = isOpen ? undefined : earlier.data;
  const rows = useMemo(() => joined(now.data, ofBefore), [now.data, ofBefore]);
  return {
    rows,
    total: now.data?.total,
    totalBefore: ofBefore?.total,
    other: now.data?.other,
    error: now.error ?? earlier.error,
    isLoading: now.isPending,
  };
}

/** The groups of now, the most expensive first, and behind them those that are gone. */
function joined(now: Groups | undefined, before: Groups | undefined): readonly ComparedGroup[] {
  const earlier = new Map(before?.groups.map(({ key, figures }) => [groupId(key), figures]));
  const current = new Set(now?.groups.map(({ key }) => groupId(key)));
  const gone = before?.groups.filter(({ key }) => !current.has(groupId(key))) ?? [];
  return [
    ...(now?.groups ?? []).map(({ key, figures }) => ({ key, now: figures, before: earlier.get(groupId(key)) })),
    ...gone.map(({ key, figures }) => ({ key, now: undefined, before: figures })),
  ];
}
