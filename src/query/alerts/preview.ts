import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import { startOf } from '../../model/time/calendar.ts';
import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests, type Rows } from '../../sql/tables.ts';
import { allOf, condition, type FilterNode } from '../filter/ast.ts';
import { compileFilter } from '../filter/sql/compile.ts';
import { utc } from '../metrics/buckets.ts';
import type { MetricsPlan } from '../metrics/plan.ts';
import { valueOf } from '../metrics/statement.ts';
import { unpricedPlan } from '../metrics/unpriced.ts';
import { groupValuesOf } from './groups.ts';
import { PartColumns } from './measures.ts';
import type { AlertPlan, AlertWindow } from './plan.ts';
import { type AlertRow, numberOf } from './rows.ts';
import { type Sample, type Samples, withinRange } from './statement.ts';
import type { TimeRange } from './windows.ts';

const dayMs = 86_400_000;
/** Steps whose windows hold one request: each costs the store that much. */
const maxStepsInWindow = 500;
/** Of a calendar window, whose first requests are in all windows until it ends. */
const maxCalendarSteps = 1000;
const maxGroupedSteps = 3000;

/** The evaluations that a preview makes. */
export interface PreviewSteps {
  /** Time of the first one, Unix milliseconds. */
  readonly first: number;
  readonly stepMs: number;
  readonly count: number;
  /** Groups that it follows. */
  readonly groups: number;
}

/** @param range of the evaluations. @param intervalMs of the evaluator: the step, unless that is too many. */
export function previewSteps({ window, dimensions, baselineDays }: AlertPlan, range: TimeRange, intervalMs: number): PreviewSteps {
  const isCalendar = window.kind === 'calendar';
  const most = isCalendar ? maxCalendarSteps : dimensions.length > 0 ? maxGroupedSteps : alertLimits.previewSteps;
  const minStepMs = Math.max((range.to - range.from) / most, isCalendar ? 0 : window.ms / maxStepsInWindow, intervalMs);
  const stepMs = Math.ceil(minStepMs / intervalMs) * intervalMs;
  // The newest request is in the last step, however long a step is.
  const last = Math.floor(range.to / intervalMs) * intervalMs;
  const count = Math.max(0, Math.floor((last - range.from) / stepMs) + 1);
  const first = last - (count - 1) * stepMs;
  return { first, stepMs, count, groups: Math.max(1, Math.floor(alertLimits.previewCells / Math.max(1, count * (1 + baselineDays)))) };
}

/** How many groups a preview would have. */
export function countGroupsStatement(plan: AlertPlan, steps: PreviewSteps): Statement {
  const count = sql`uniqExact(tuple(${join(comparable(plan), ', ')})) AS groups`;
  return statementFor(plan.tenant, select({ columns: count, from: rowsOf(plan, steps) }), 'long');
}

/**
 * The samples of every step: requests are put together by the buckets that all windows consist of, and these then into each window. Rows
 * are of a group, a step `at`, and a day before (`day`, 0: the window itself).
 */
export function previewStatement(plan: AlertPlan, steps: PreviewSteps): Statement {
  const parts = new PartColumns();
  const count = parts.add('n', { kind: 'metric', metric: 'count', factor: 1 }, undefined);
  const value = parts.add('v', plan.measure, undefined);
  const keys = plan.dimensions.map((_, index) => identifier(`dimension_${index}`));
  const values = plan.dimensions.map((dimension, index) => sql`${valueOf(dimension, utc)} AS ${keys[index] ?? sql``}`);
  const layout = bucketLayoutOf(plan.window, steps);
  const shifted = sql`(toUnixTimestamp64Milli(created_at) + day * ${int64(dayMs)})`;
  const days = sql`arrayJoin(range(toUInt64(0), toUInt64(${int64(plan.baselineDays + 1)}))) AS day`;
  const shiftedRows = select({
    columns: [sql`*`, ...values, days, sql`${shifted} AS shifted_ms`],
    from: rowsOf(plan, steps, chosenGroups(plan, steps)),
  });
  const buckets = select({
    columns: [...keys, sql`day`, ...layout.bucket.map(({ name, value: of }) => sql`${of} AS ${identifier(name)}`), ...parts.each()],
    from: shiftedRows,
    where: [sql`shifted_ms >= ${int64(layout.from)} AND shifted_ms < ${int64(lastOf(steps))}`],
    groupBy: [...keys, sql`day`, ...layout.bucket.map(({ name }) => identifier(name))],
  });
  const spread = select({ columns: [sql`*`, sql`arrayJoin(${layout.steps}) AS at`], from: buckets });
  const windows = select({
    columns: [...keys, sql`day`, sql`at`, ...parts.combined()],
    from: spread,
    groupBy: [...keys, sql`day`, sql`at`],
  });
  const rows = select({
    columns: [...keys, sql`day`, sql`at`, sql`toString(${count('combined')}) AS n`, sql`toString(${value('combined')}) AS v`],
    from: windows,
    orderBy: [sql`at`, sql`day`, ...keys],
    limit: maxRows,
  });
  return statementFor(plan.tenant, rows, 'long');
}

/** Groups times steps times days, and a few of rounding. */
const maxRows = 2 * alertLimits.previewCells;

export function unpricedInPreview(plan: AlertPlan, steps: PreviewSteps): MetricsPlan {
  return unpricedPlan(plan.tenant, allOf([inWindows(plan, steps), plan.filter]));
}

/** In any window of a preview. */
export function inWindows(plan: AlertPlan, steps: PreviewSteps): FilterNode {
  return allOf([arrived('gte', bucketLayoutOf(plan.window, steps).from), arrived('lt', lastOf(steps))]);
}

function arrived(operator: 'gte' | 'lt', value: number): FilterNode {
  return condition({ group: 'request_response_rmt', field: 'request_created_at' }, { family: 'timestamp', operator, value });
}

/** @returns by the index of the step. */
export function previewSamples(plan: AlertPlan, rows: readonly AlertRow[]): ReadonlyMap<number, Samples> {
  const steps = new Map<number, Sample[][]>();
  for (const row of rows) {
    const at = Number(row['at']);
    const samples = steps.get(at) ?? Array.from({ length: plan.baselineDays + 1 }, () => []);
    steps.set(at, samples);
    samples[Number(row['day'])]?.push({ group: groupValuesOf(plan.dimensions, row), count: Number(row['n']), value: numberOf(row['v']) });
  }
  return steps;
}

const int64 = (value: number): Fragment => sql`${param(Math.floor(value), 'Int64')}`;

function lastOf({ first, stepMs, count }: PreviewSteps): number {
  return first + (count - 1) * stepMs;
}

function rowsOf(plan: AlertPlan, steps: PreviewSteps, chosen: readonly Fragment[] = []): Rows {
  const { from } = bucketLayoutOf(plan.window, steps);
  const within = withinRange({ from: from - plan.baselineDays * dayMs, to: lastOf(steps) });
  const filter = plan.filter.kind === 'all' ? [] : [sql`(${compileFilter(plan.filter, [within])})`];
  return requests([within, ...filter, ...chosen]);
}

/** TRICKY: NULL is in no list. */
function comparable({ dimensions }: AlertPlan): readonly Fragment[] {
  return dimensions.flatMap((dimension) => {
    const value = valueOf(dimension, utc);
    return [sql`isNull(${value})`, sql`ifNull(toString(${value}), '')`];
  });
}

/** Those with the most requests. */
function chosenGroups(plan: AlertPlan, steps: PreviewSteps): readonly Fragment[] {
  if (plan.dimensions.length === 0) return [];
  const values = comparable(plan);
  const names = values.map((_, index) => identifier(`chosen_${index}`));
  const named = values.map((value, index) => sql`${value} AS ${names[index] ?? sql``}`);
  const counted = select({ columns: [...named, sql`count() AS requests_of_group`], from: rowsOf(plan, steps), groupBy: names });
  const most: Query = select({ columns: names, from: counted, orderBy: [sql`requests_of_group DESC`, ...names], limit: steps.groups });
  return [sql`tuple(${join(values, ', ')}) IN ${most}`];
}

/** How requests are put together, and of which windows a bucket is a part. */
interface BucketLayout {
  /** The first time that any window has. */
  readonly from: number;
  readonly bucket: readonly { readonly name: string; readonly value: Fragment }[];
  /** The steps whose windows hold the bucket, as an array. */
  readonly steps: Fragment;
}

function bucketLayoutOf(window: AlertWindow, steps: PreviewSteps): BucketLayout {
  return window.kind === 'rolling' ? rollingLayout(window.ms, steps) : calendarLayout(window, steps);
}

/** Buckets begin with the first window; window and step are whole numbers of them. */
function rollingLayout(windowMs: number, { first, stepMs, count }: PreviewSteps): BucketLayout {
  const from = first - windowMs;
  const bucketMs = greatestDivisor(windowMs, stepMs);
  const [inWindow, inStep] = [windowMs / bucketMs, stepMs / bucketMs];
  const begun = sql`bucket + 1 - ${int64(inWindow)}`;
  return {
    from,
    bucket: [{ name: 'bucket', value: sql`intDiv(shifted_ms - ${int64(from)}, ${int64(bucketMs)})` }],
    steps: rangeOf(
      sql`if(${begun} <= 0, 0, intDiv(${begun} + ${int64(inStep - 1)}, ${int64(inStep)}))`,
      sql`least(intDiv(bucket, ${int64(inStep)}), ${int64(count - 1)}) + 1`,
    ),
  };
}

/** A bucket is the part of a day, week or month between two steps. */
function calendarLayout(
  { unit, timezone }: Extract<AlertWindow, { kind: 'calendar' }>,
  { first, stepMs, count }: PreviewSteps,
): BucketLayout {
  const starts: number[] = [];
  const ends: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = startOf(unit, timezone, first + index * stepMs);
    if (starts.at(-1) !== start) {
      starts.push(start);
      ends.push(index + 1);
    } else ends[ends.length - 1] = index + 1;
  }
  const from = starts[0] ?? first;
  return {
    from,
    bucket: [
      { name: 'period', value: sql`toInt64(arrayCount(start -> start <= shifted_ms, ${param(starts, 'Array(Int64)')}))` },
      { name: 'bucket', value: sql`if(shifted_ms < ${int64(first)}, 0, intDiv(shifted_ms - ${int64(first)}, ${int64(stepMs)}) + 1)` },
    ],
    steps: rangeOf(sql`bucket`, sql`arrayElement(${param(ends, 'Array(Int64)')}, period)`),
  };
}

function rangeOf(from: Fragment, to: Fragment): Fragment {
  return sql`range(toInt64(${from}), toInt64(${to}))`;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
