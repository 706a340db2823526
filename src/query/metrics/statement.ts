import type { AskedMetric, DimensionName } from '../../model/vocabulary/metrics.ts';
import { columnName, identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests, type Rows } from '../../sql/tables.ts';
import { compileFilter } from '../filter/sql/compile.ts';
import type { NumberCell } from '../requests/columns.ts';
import { namedValue } from '../requests/order.ts';
import { bucketKey, bucketStart, hourOfDay, offsetMinutes, weekday, type Zone } from './buckets.ts';
import { combinedColumns, metricValue, partColumns, type PartStage } from './parts.ts';
import type { Dimension, MetricsPlan } from './plan.ts';

/**
 * A row as JSONEachRow returns it, with the cells `dimension_0` and so on and a cell for each metric: `metric_0` as text, null when not
 * known.
 */
export interface MetricsRow {
  readonly [cell: `dimension_${number}`]: string | number | boolean | null;
  readonly [cell: `metric_${number}`]: string | null;
  readonly kind: 'row' | 'other' | 'total';
  /** Start of the bucket, Unix milliseconds, and minutes east of UTC there. */
  readonly bucket_ms?: NumberCell;
  readonly bucket_offset?: NumberCell;
}

/** Columns of dimensions; without one here, the dimension is the column of its name. */
const columnOf: Readonly<Partial<Record<DimensionName, (zone: Zone) => Fragment>>> = {
  user: () => sql`user_id`,
  session: () => sql`session_id`,
  country: () => sql`country_code`,
  key: () => sql`key_hash`,
  prompt: () => sql`prompt_id`,
  hour_of_day: hourOfDay,
  weekday,
};

/** The value of a dimension in a row of `requests`. */
export function valueOf(dimension: Dimension, zone: Zone): Fragment {
  if (dimension.kind !== 'column') return namedValue(dimension.kind === 'property' ? 'properties' : 'inputs', dimension.name);
  const column = columnOf[dimension.name];
  return column === undefined ? columnName(dimension.name) : column(zone);
}

/**
 * The statement for the rows of a metrics query: groups of requests with the parts of the metrics; where `other` or totals are asked for,
 * the groups behind the limit combined to one; the metrics of their parts.
 */
export function metricsStatement(plan: MetricsPlan): Statement {
  return statementFor(plan.tenant, plan.other || plan.totals ? withOther(plan, placed(plan)) : rowsAlone(plan, groups(plan)), 'long');
}

/**
 * The same rows with less memory, for many groups: it first finds the groups of the page by what they are sorted by, then reads all
 * requests once more and keeps these groups and one of all others. @returns undefined for a query without groups.
 */
export function frugalMetricsStatement(plan: MetricsPlan): Statement | undefined {
  if (keyCells(plan).length === 0) return undefined;
  const page = chosenGroups(plan);
  return statementFor(
    plan.tenant,
    plan.other || plan.totals ? withOther(plan, chosenAndOther(plan, page)) : rowsAlone(plan, page, true),
    'long',
  );
}

/** The cells of a group's key. */
function keyCells({ dimensions, interval }: MetricsPlan): readonly Fragment[] {
  const cells = dimensions.map((_, index) => identifier(`dimension_${index}`));
  return interval === undefined ? cells : [...cells, identifier('bucket')];
}

/** The key of a request's group, in the order of its cells. */
function keyValues({ dimensions, interval, zone }: MetricsPlan): readonly Fragment[] {
  const values = dimensions.map((dimension) => valueOf(dimension, zone));
  return interval === undefined ? values : [...values, bucketKey(interval, zone)];
}

/** @param metrics those whose parts are needed beside what the groups are sorted by. */
function groups(plan: MetricsPlan, metrics: readonly AskedMetric[] = plan.metrics): Query {
  const cells = keyCells(plan);
  return select({
    columns: [...keyValues(plan).map((value, index) => sql`${value} AS ${cells[index] ?? sql``}`), ...partsFor(plan, metrics)],
    from: matching(plan),
    groupBy: cells,
  });
}

function matching({ filter }: MetricsPlan): Rows {
  return requests(filter.kind === 'all' ? [] : [compileFilter(filter)]);
}

function partsFor({ sort }: MetricsPlan, metrics: readonly AskedMetric[]): readonly Fragment[] {
  return partColumns([...metrics, ...sort.flatMap(({ by }) => (by === 'time' ? [] : [by]))]);
}

/** Groups of the page, and with `is_shown` 0 one of all others. */
function chosenGroups(plan: MetricsPlan): Query {
  const cells = keyCells(plan);
  const chosen = select({
    columns: comparable(cells),
    from: groups(plan, []),
    orderBy: orderOf(plan),
    // One more tells that there are others.
    limit: plan.other || plan.totals ? plan.limit : plan.limit + 1,
    offset: param(plan.offset, 'UInt64'),
  });
  const values = keyValues(plan);
  return select({
    columns: [
      sql`tuple(${join(comparable(values), ', ')}) IN ${chosen} AS is_shown`,
      ...values.map((value, index) => sql`if(is_shown, ${value}, NULL) AS ${cells[index] ?? sql``}`),
      ...partsFor(plan, plan.metrics),
    ],
    from: matching(plan),
    groupBy: [sql`is_shown`, ...cells],
  });
}

/** TRICKY: NULL is in no list. */
function comparable(values: readonly Fragment[]): readonly Fragment[] {
  return values.flatMap((value) => [sql`isNull(${value})`, sql`ifNull(toString(${value}), '')`]);
}

/** One row more than the limit, which tells that there are others. @param from has the groups, all or those of the page. */
function rowsAlone(plan: MetricsPlan, from: Query, isPage = false): Query {
  return select({
    columns: [sql`'row' AS kind`, ...shownCells(plan), ...metricCells(plan, 'each')],
    from,
    ...(isPage ? { where: [sql`is_shown`] } : {}),
    orderBy: orderOf(plan),
    limit: plan.limit + 1,
    offset: param(isPage ? 0 : plan.offset, 'UInt64'),
  });
}

/** Every group, with its place among those that are shown, or 0. */
function placed(plan: MetricsPlan): Query {
  const ranked = select({ columns: [sql`*`, sql`row_number() OVER (ORDER BY ${inOrder(plan)}) AS place`], from: groups(plan) });
  const [first, last] = [param(plan.offset, 'UInt64'), param(plan.offset + plan.limit, 'UInt64')];
  return select({ columns: [sql`*`, sql`if(place > ${first} AND place <= ${last}, place, 0) AS shown`], from: ranked });
}

/** The same of {@link chosenGroups}. */
function chosenAndOther(plan: MetricsPlan, page: Query): Query {
  const place = sql`row_number() OVER (ORDER BY is_shown DESC, ${inOrder(plan)})`;
  return select({ columns: [sql`*`, sql`if(is_shown, ${place}, 0) AS shown`], from: page });
}

function inOrder(plan: MetricsPlan): Fragment {
  const ordered = orderOf(plan);
  return join(ordered.length === 0 ? [sql`1`] : ordered, ', ');
}

/** @param from groups with their place as `shown`; those at 0 are combined. */
function withOther(plan: MetricsPlan, from: Query): Query {
  const key = keyCells(plan);
  const combined = select({
    columns: [
      sql`shown`,
      sql`grouping(shown) = 1 AS is_total`,
      // TRICKY: any() skips NULL, but not a tuple with one.
      ...(key.length === 0 ? [] : [sql`any(tuple(${join(key, ', ')})) AS key`]),
      ...combinedColumns(plan.metrics),
    ],
    from,
    groupBy: sql`GROUPING SETS ((shown), ())`,
  });
  const named = select({
    columns: [sql`*`, ...key.map((cell, index) => sql`tupleElement(key, ${param(index + 1, 'UInt64')}) AS ${cell}`)],
    from: combined,
  });
  return select({
    columns: [sql`multiIf(is_total, 'total', shown = 0, 'other', 'row') AS kind`, ...shownCells(plan), ...metricCells(plan, 'all')],
    from: named,
    orderBy: sql`is_total, shown = 0, shown`,
  });
}

function shownCells(plan: MetricsPlan): readonly Fragment[] {
  const { dimensions, interval, zone } = plan;
  const cells = dimensions.map((_, index) => identifier(`dimension_${index}`));
  if (interval === undefined) return cells;
  const start = bucketStart(identifier('bucket'), interval, zone);
  return [...cells, sql`${start} AS bucket_ms`, sql`${offsetMinutes(sql`bucket_ms`, zone)} AS bucket_offset`];
}

function metricCells({ metrics }: MetricsPlan, stage: PartStage): readonly Fragment[] {
  return metrics.map((metric, index) => sql`toString(${metricValue(metric, stage)}) AS ${identifier(`metric_${index}`)}`);
}

/** The complete order, so that no two rows are equal. */
function orderOf(plan: MetricsPlan): readonly Fragment[] {
  const terms = plan.sort.map(({ by, direction }) => {
    const value = by === 'time' ? identifier('bucket') : metricValue(by, 'each');
    return direction === 'asc' ? sql`${value} ASC NULLS LAST` : sql`${value} DESC NULLS LAST`;
  });
  return [...terms, ...keyCells(plan)];
}
