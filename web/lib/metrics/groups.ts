import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Filter, MetricsQuery } from '../../../src/client/client.ts';
import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import { allOf, anyOf, everything, type FilterNode } from '../../../src/query/filter/ast.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import { type BucketedRange, maxBuckets } from '../buckets.ts';
import { arrivedIn, type RangeSearch, timeRangeOf } from '../time-range.ts';
import { timeZone } from '../zone.ts';
import { askMetrics } from './ask.ts';
import { conditionOfKey, type Dimension, type DimensionValue, valueTitle } from './dimensions.ts';

/** Figures by the names of their metrics; null is what nothing is known of. */
export type Figures = Readonly<Partial<Record<AskedMetric, number | null>>>;

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
  readonly metrics: readonly AskedMetric[];
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
    queryFn: async (): Promise<Groups> => {
      const query = {
        metrics,
        groupBy: by as readonly 'model'[],
        filter: within(filter, from, to),
        sort,
        limit,
        other: true,
        totals: true,
      };
      const { rows, approximate } = await rowsOf(query);
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
async function rowsOf(query: MetricsQuery): Promise<{ readonly rows: readonly Row[]; readonly approximate: readonly string[] }> {
  const { rows, approximate } = await askMetrics(query);
  return { rows: rows as readonly Row[], approximate };
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
  readonly metrics: readonly AskedMetric[];
}

/** All requests over time. */
export function courseQuery({ filter, from, to, interval, metrics }: CourseQuery) {
  return queryOptions({
    queryKey: ['course', filter, from, to, interval, metrics],
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<Course> => {
      const query = { metrics, interval, timezone: timeZone(), filter: within(filter, from, to), limit: maxBuckets };
      return byTime((await rowsOf(query)).rows);
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
    queryFn: async (): Promise<readonly GroupCourse[]> => {
      const whole = within(allOf([filter, oneOf(by, keys)]), from, to);
      const query = { metrics, groupBy: by as readonly 'model'[], interval, timezone: timeZone(), filter: whole, limit: maxRows };
      const { rows } = await rowsOf(query);
      if (rows.length >= maxRows) throw new Error('There are too many groups to draw over time: group by something else, or filter first.');
      const names = rows.map((row) => groupId(keyOf(row, by)));
      return keys.map((key) => ({ key, course: byTime(rows.filter((_, index) => names[index] === groupId(key))) }));
    },
  });
}

/** @returns every request where the filter has no condition for a value, such as an hour of the day. */
function oneOf(by: readonly Dimension[], keys: readonly GroupKey[]): FilterNode {
  const nodes = keys.map((key) => conditionOfKey(by, key) ?? everything);
  const [first = everything, ...others] = nodes;
  return anyOf([first, ...others]);
}

export function groupId(key: GroupKey): string {
  return JSON.stringify(key);
}

/** @param names of sessions, by their identifiers. */
export function groupTitle(by: readonly Dimension[], key: GroupKey, names?: ReadonlyMap<string, string>): string {
  const titleOf = (dimension: Dimension, value: DimensionValue): string =>
    (dimension === 'session' && typeof value === 'string' ? names?.get(value) : undefined) ?? valueTitle(dimension, value);
  return key.map((value, index) => titleOf(by[index] ?? '', value)).join(' · ');
}

/** The names of some sessions, by their identifiers; of several names of one that of most requests. */
export function sessionNamesQuery(
  filter: FilterNode,
  ids: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
) {
  return queryOptions({
    queryKey: ['session names', filter, ids, from, to],
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
    queryFn: async (): Promise<ReadonlyMap<string, string>> => {
      const named = oneOf(
        ['session'],
        ids.map((id) => [id]),
      );
      const query = { metrics: ['count'], groupBy: ['session', 'session_name'], sort: { count: 'asc' }, limit: maxRows } as const;
      const { rows } = await rowsOf({ ...query, filter: within(allOf([filter, named]), from, to) });
      // The last of equal keys stays, which has most requests.
      return new Map(rows.flatMap(({ session, session_name: name }) => (typeof name === 'string' ? [[String(session), name]] : [])));
    },
  });
}

export interface FiguresOfQuery {
  readonly filter: FilterNode;
  readonly range: RangeSearch;
  readonly metrics: readonly AskedMetric[];
  readonly by: 'session' | 'user';
  readonly values: readonly string[];
}

/** Values that one query asks about: the conditions of a filter are limited. */
const valuesAtOnce = 500;

/** What the requests of some sessions or users come to, by their identifiers. */
export function figuresOfQuery({ filter, range, metrics, by, values }: FiguresOfQuery) {
  return queryOptions({
    queryKey: ['figures of', filter, range, metrics, by, values],
    placeholderData: keepPreviousData,
    enabled: values.length > 0,
    queryFn: async (): Promise<ReadonlyMap<string, Figures>> => {
      const { from, to } = timeRangeOf(range, Date.now());
      const places = Array.from({ length: Math.ceil(values.length / valuesAtOnce) }, (_none, index) => index * valuesAtOnce);
      const answers = await Promise.all(
        places.map((place) => {
          const keys = values.slice(place, place + valuesAtOnce).map((value) => [value]);
          return rowsOf({ metrics, groupBy: [by], filter: within(allOf([filter, oneOf([by], keys)]), from, to), limit: valuesAtOnce });
        }),
      );
      return new Map(answers.flatMap(({ rows }) => rows.map((row) => [String(row[by]), row])));
    },
  });
}

function within(filter: FilterNode, from: number | undefined, to: number | undefined): Filter {
  return filterJson(allOf([arrivedIn({ from, to }), filter])) as Filter;
}

/** The groups over time with the greatest sums of the first metric. */
export function coursesOfAllQuery({ most, ...query }: Omit<GroupCoursesQuery, 'keys'> & { readonly most: number }) {
  const { filter, from, to, interval, metrics, by } = query;
  return queryOptions({
    queryKey: ['courses of all', filter, from, to, interval, metrics, by, most],
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<readonly GroupCourse[]> => {
      const asked = { metrics, groupBy: by as readonly 'model'[], interval, timezone: timeZone(), filter: within(filter, from, to) };
      const { rows } = await rowsOf({ ...asked, limit: maxRows });
      const [metric = 'count'] = metrics;
      const groups = new Map<string, Row[]>();
      for (const row of rows) groups.set(groupId(keyOf(row, by)), [...(groups.get(groupId(keyOf(row, by))) ?? []), row]);
      const sumOf = (group: readonly Row[]): number => group.reduce((sum, row) => sum + (row[metric] ?? 0), 0);
      const ordered = [...groups.values()].toSorted((one, other) => sumOf(other) - sumOf(one)).slice(0, most);
      return ordered.flatMap((group) => (group[0] === undefined ? [] : [{ key: keyOf(group[0], by), course: byTime(group) }]));
    },
  });
}

function byTime(rows: readonly Row[]): Course {
  return new Map(rows.map((row) => [Date.parse(row.time), row]));
}
