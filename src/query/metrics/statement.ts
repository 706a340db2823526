import type { DimensionName } from '../../model/vocabulary/metrics.ts';
import { columnName, identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
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

function valueOf(dimension: Dimension, zone: Zone): Fragment {
  if (dimension.kind !== 'column') return namedValue(dimension.kind === 'property' ? 'properties' : 'inputs', dimension.name);
  const column = columnOf[dimension.name];
  return column === undefined ? columnName(dimension.name) : column(zone);
}

/**
 * The statement for the rows of a metrics query: groups of requests with the parts of the metrics; where `other` or totals are asked for,
 * the groups behind the limit combined to one; the metrics of their parts.
 */
export function metricsStatement(plan: MetricsPlan): Statement {
  return statementFor(plan.tenant, plan.other || plan.totals ? withOther(plan) : rowsAlone(plan), 'long');
}

/** The cells of a group's key. */
function keyCells({ dimensions, interval }: MetricsPlan): readonly Fragment[] {
  const cells = dimensions.map((_, index) => identifier(`dimension_${index}`));
  return interval === undefined ? cells : [...cells, identifier('bucket')];
}

function groups(plan: MetricsPlan): Query {
  const { dimensions, interval, zone, filter } = plan;
  const values = dimensions.map((dimension) => valueOf(dimension, zone));
  const keys = interval === undefined ? values : [...values, bucketKey(interval, zone)];
  const cells = keyCells(plan);
  const sorted = plan.sort.flatMap(({ by }) => (by === 'time' ? [] : [by]));
  return select({
    columns: [...keys.map((value, index) => sql`${value} AS ${cells[index] ?? sql``}`), ...partColumns([...plan.metrics, ...sorted])],
    from: requests(filter.kind === 'all' ? [] : [compileFilter(filter)]),
    groupBy: cells,
  });
}

/** One row more than the limit, which tells that there are others. */
function rowsAlone(plan: MetricsPlan): Query {
  return select({
    columns: [sql`'row' AS kind`, ...shownCells(plan), ...metricCells(plan, 'each')],
    from: groups(plan),
    orderBy: orderOf(plan),
    limit: plan.limit + 1,
    offset: param(plan.offset, 'UInt64'),
  });
}

function withOther(plan: MetricsPlan): Query {
  const { offset, limit, metrics } = plan;
  const key = keyCells(plan);
  const ordered = orderOf(plan);
  const ranked = select({
    columns: [sql`*`, sql`row_number() OVER (ORDER BY ${join(ordered.length === 0 ? [sql`1`] : ordered, ', ')}) AS place`],
    from: groups(plan),
  });
  const [first, last] = [param(offset, 'UInt64'), param(offset + limit, 'UInt64')];
  const placed = select({ columns: [sql`*`, sql`if(place > ${first} AND place <= ${last}, place, 0) AS shown`], from: ranked });
  const combined = select({
    columns: [
      sql`shown`,
      sql`grouping(shown) = 1 AS is_total`,
      // TRICKY: any() skips NULL, but not a tuple with one.
      ...(key.length === 0 ? [] : [sql`any(tuple(${join(key, ', ')})) AS key`]),
      ...combinedColumns(metrics),
    ],
    from: placed,
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
