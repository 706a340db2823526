import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import type { FilterNode } from '../../../src/query/filter/ast.ts';
import { type BucketedRange, sinceFirst } from '../../lib/buckets.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import {
  courseQuery,
  type Figures,
  groupCoursesQuery,
  type GroupKey,
  groupId,
  type Groups,
  groupsQuery,
} from '../../lib/metrics/groups.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { useBuckets } from '../../lib/use-buckets.ts';

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
  /** Dimension of the groups. */
  readonly by: Dimension;
  /** Whether the charts show the groups. */
  readonly isSplit: boolean;
}

/** Groups that the charts show; the others are one. */
export const shownGroups = 7;
/** Groups that are compared with those before. */
const comparedGroups = 1000;
/** Where a range without a start begins. */
const oldestMs = 1826 * 86_400_000;

/** What an overview shows. It asks three times, and once more for the charts of groups. */
export function useOverview({ filter, range, by, isSplit }: OverviewQuery) {
  const buckets = useBuckets(range, oldestMs);
  const { from, to, interval, before } = buckets;
  const course = useQuery(courseQuery({ filter, from: before.from, to, interval, metrics }));
  const groups = useComparedGroups(filter, by, buckets);
  const keys = groups.rows.filter(({ now }) => now !== undefined).slice(0, shownGroups);
  const split = useQuery({
    ...groupCoursesQuery({ filter, from, to, interval, metrics, by: [by], keys: keys.map(({ key }) => key) }),
    enabled: isSplit && keys.length > 0,
  });
  const shown = isSplit ? split : undefined;
  const drawn = useMemo(() => sinceFirst(buckets, course.data), [buckets, course.data]);
  return {
    buckets: drawn,
    groups,
    course: course.data,
    split: shown?.data,
    error: course.error ?? groups.error ?? shown?.error ?? null,
    isLoading: course.isPending || groups.isLoading,
  };
}

function useComparedGroups(filter: FilterNode, by: Dimension, { from, to, before }: BucketedRange) {
  const query = { filter, metrics, by: [by], sort: { cost: 'desc', count: 'desc' }, limit: comparedGroups } as const;
  const now = useQuery(groupsQuery({ ...query, from, to }));
  const earlier = useQuery(groupsQuery({ ...query, from: before.from, to: before.to }));
  const rows = useMemo(() => joined(now.data, earlier.data), [now.data, earlier.data]);
  return {
    rows,
    total: now.data?.total,
    totalBefore: earlier.data?.total,
    other: now.data?.other,
    error: now.error ?? earlier.error,
    isLoading: now.isPending,
  };
}

/** The groups of now, the dearest first, and behind them those that are gone. */
function joined(now: Groups | undefined, before: Groups | undefined): readonly ComparedGroup[] {
  const earlier = new Map(before?.groups.map(({ key, figures }) => [groupId(key), figures]));
  const current = new Set(now?.groups.map(({ key }) => groupId(key)));
  const gone = before?.groups.filter(({ key }) => !current.has(groupId(key))) ?? [];
  return [
    ...(now?.groups ?? []).map(({ key, figures }) => ({ key, now: figures, before: earlier.get(groupId(key)) })),
    ...gone.map(({ key, figures }) => ({ key, now: undefined, before: figures })),
  ];
}
