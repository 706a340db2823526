import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Filter, MetricsQuery } from '../../../src/client/client.ts';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { allOf, anyOf, everything, type FilterNode } from '../../../src/query/filter/ast.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import type { BucketedRange } from '../buckets.ts';
import { gatelog } from '../client.ts';
import { arrivedIn } from '../time-range.ts';
import { timeZone } from '../zone.ts';
import { conditionOf, type Dimension, type DimensionValue, valueTitle } from './dimensions.ts';

/** Figures by the names of their metrics; null is what nothing is known of. */
export type Figures = Readonly<Partial<Record<MetricName, number | null>>>;

/** One value for each dimension of a query. */
export type GroupKey = readonly DimensionValue[];

export interface Group {
  readonly key: GroupKey;
  readonly figures: Figures;
}

/** The groups of a query, in its order. */
export interface Groups {
  readonly groups: readonly Group[];
  /** All groups that are not among them, together; undefined: they are all. */
  readonly other: Figures | undefined;
  readonly total: Figures | undefined;
  /** Metrics that are not exact. */
  readonly approximate: readonly string[];
}

export interface GroupsQuery {
  readonly filter: FilterNode;
  /** Unix milliseconds, the end exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly metrics: readonly MetricName[];
  readonly by: readonly Dimension[];
  readonly sort: Readonly<Record<string, 'asc' | 'desc'>>;
  readonly limit: number;
}

/** Rows of one answer. */
const maxRows = 10_000;

export function groupsQuery({ filter, from, to, metrics, by, sort, limit }: GroupsQuery) {
  return queryOptions({
    queryKey: ['groups', filter, from, to, metrics, by, sort, limit],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Groups> => {
      const query = {
        metrics,
        groupBy: by as readonly 'model'[],
        filter: within(filter, from, to),
        sort,
        limit,
        other: true,
        totals: true,
      };
      const { rows, approximate } = await rowsOf(query, signal);
      return {
        groups: rows.filter(({ other, total }) => other !== true && total !== true).map((row) => ({ key: keyOf(row, by), figures: row })),
        other: rows.find(({ other, count }) => other === true && count !== 0),
        total: rows.find(({ total }) => total),
        approximate,
      };
    },
  });
}

type Row = Figures & Readonly<Record<string, DimensionValue>> & { readonly other?: true; readonly total?: true; readonly time: string };

/** Rows whose metrics and dimensions are known only when the page is shown. */
async function rowsOf(
  body: MetricsQuery,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly Row[]; readonly approximate: readonly string[] }> {
  const { data, extras } = await gatelog.call('POST /v1/metrics/query', { body, signal });
  return { rows: data as readonly Row[], approximate: extras.approximate ?? [] };
}

function keyOf(row: Row, by: readonly Dimension[]): GroupKey {
  return by.map((dimension) => row[dimension] ?? null);
}

/** Figures by the start of their bucket, Unix milliseconds. */
export type Course = ReadonlyMap<number, Figures>;

export interface CourseQuery {
  readonly filter: FilterNode;
  readonly from: number;
  readonly to: number;
  readonly interval: BucketedRange['interval'];
  readonly metrics: readonly MetricName[];
}

/** All requests over time. */
export function courseQuery({ filter, from, to, interval, metrics }: CourseQuery) {
  return queryOptions({
    queryKey: ['course', filter, from, to, interval, metrics],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Course> => {
      const query = { metrics, interval, timezone: timeZone(), filter: within(filter, from, to), limit: maxRows };
      return byTime((await rowsOf(query, signal)).rows);
    },
  });
}

export interface GroupCourse {
  readonly key: GroupKey;
  readonly course: Course;
}

export interface GroupCoursesQuery extends CourseQuery {
  readonly by: readonly Dimension[];
  /** The groups to follow. */
  readonly keys: readonly GroupKey[];
}

/** Some groups over time. Where a filter can name them, no others are asked for. */
export function groupCoursesQuery({ filter, from, to, interval, metrics, by, keys }: GroupCoursesQuery) {
  return queryOptions({
    queryKey: ['group courses', filter, from, to, interval, metrics, by, keys],
    placeholderData: keepPreviousData,
    enabled: keys.length > 0,
    queryFn: async ({ signal }): Promise<readonly GroupCourse[]> => {
      const whole = within(allOf([filter, oneOf(by, keys)]), from, to);
      const query = { metrics, groupBy: by as readonly 'model'[], interval, timezone: timeZone(), filter: whole, limit: maxRows };
      const { rows } = await rowsOf(query, signal);
      if (rows.length >= maxRows) throw new Error('There are too many groups to draw over time: group by something else, or filter first.');
      const names = rows.map((row) => groupId(keyOf(row, by)));
      return keys.map((key) => ({ key, course: byTime(rows.filter((_, index) => names[index] === groupId(key))) }));
    },
  });
}

/** @returns every request where the filter has no condition for a value, such as one that is missing. */
function oneOf(by: readonly Dimension[], keys: readonly GroupKey[]): FilterNode {
  const nodes = keys.map((key) => {
    const conditions = by.map((dimension, index) => conditionOf(dimension, key[index] ?? null));
    return conditions.some((node) => node === undefined) ? everything : allOf(conditions.filter((node) => node !== undefined));
  });
  const [first = everything, ...others] = nodes;
  return anyOf([first, ...others]);
}

export function groupId(key: GroupKey): string {
  return JSON.stringify(key);
}

export function groupTitle(by: readonly Dimension[], key: GroupKey): string {
  return key.map((value, index) => valueTitle(by[index] ?? '', value)).join(' · ');
}

function within(filter: FilterNode, from: number | undefined, to: number | undefined): Filter {
  return filterJson(allOf([arrivedIn({ from, to }), filter])) as Filter;
}

function byTime(rows: readonly Row[]): Course {
  return new Map(rows.map((row) => [Date.parse(row.time), row]));
}
