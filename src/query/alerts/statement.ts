import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { FilterNode } from '../filter/ast.ts';
import { compileFilter, isExpensive } from '../filter/sql/compile.ts';
import { utc } from '../metrics/buckets.ts';
import { valueOf } from '../metrics/statement.ts';
import { type StatementGroup, statementGroupsOf, grouped, type Member, type Reading, selectionKey } from './statement-groups.ts';
import { PartColumns } from './measures.ts';
import type { AlertPlan, Measure } from './plan.ts';
import { type GroupValues, groupValuesOf } from './groups.ts';
import { type AlertRow, numberOf } from './rows.ts';
import type { TimeRange } from './windows.ts';

/** The requests of a group in a range: how many, and the value that they make. */
export interface Sample {
  readonly group: GroupValues;
  readonly count: number;
  readonly value: number | null;
}

/** Of each range of a reading, the samples of the groups that have requests in it. */
export type Samples = readonly (readonly Sample[])[];

/** A statement for several readings. */
export interface ReadingBatch {
  /** Indexes of the readings that it answers. */
  readonly indexes: readonly number[];
  readonly statement: Statement;
  /** The samples of each index, made one after another: those of all at once may be many times the rows. */
  readonly samplesOf: (rows: readonly AlertRow[]) => Iterable<readonly [number, Samples]>;
  /** Whether there were more groups than a statement returns. */
  readonly isCut: (rows: readonly AlertRow[]) => boolean;
}

const maxRows = 60_000;

/** The statements that answer readings of one tenant. */
export function batchesOf(readings: readonly Reading[]): readonly ReadingBatch[] {
  const statementGroups = statementGroupsOf(readings);
  return [...statementGroups.filter((group) => !searchesTexts(group)), ...statementGroups.filter(searchesTexts)].map(batchOf);
}

function searchesTexts({ members }: StatementGroup): boolean {
  return members.some(({ filter }) => isExpensive(filter));
}

/** Requests that a condition of the statement chooses, with the name of that condition. */
interface Selection {
  readonly name: string;
  readonly condition: Fragment;
}

/** Where a member's numbers stand in a row. */
interface Cells {
  readonly count: string;
  readonly value: string;
}

/** What the members of a statement group ask, each thing once. */
class StatementGroupColumns {
  /** All rows of the statement match it. */
  readonly shared: FilterNode | undefined;
  readonly selections = new Map<string, Selection>();
  readonly parts = new PartColumns();
  readonly values = new Map<string, Fragment>();

  constructor({ members }: StatementGroup) {
    this.shared = sharedFilter(members);
  }

  cellsOf({ filter, reading }: Member, range: TimeRange): Cells {
    const { name } = this.selection(filter, range);
    const when = identifier(name);
    const count = `${name}_n`;
    this.value(count, name, { kind: 'metric', metric: 'count', factor: 1 }, when);
    const value = `${name}_${measureKey(reading.plan.measure)}`;
    this.value(value, name, reading.plan.measure, when);
    return { count, value };
  }

  private selection(filter: FilterNode, range: TimeRange): Selection {
    const key = selectionKey(filter, range);
    const known = this.selections.get(key);
    if (known !== undefined) return known;
    const within = [withinRange(range)];
    const condition = filter.kind === 'all' || this.shared !== undefined ? within : [...within, sql`(${compileFilter(filter, within)})`];
    const selection = { name: `s${this.selections.size}`, condition: join(condition, ' AND ') };
    this.selections.set(key, selection);
    return selection;
  }

  private value(cell: string, prefix: string, measure: Measure, when: Fragment): void {
    if (!this.values.has(cell)) this.values.set(cell, this.parts.add(prefix, measure, when)('each'));
  }
}

function measureKey(measure: Measure): string {
  switch (measure.kind) {
    case 'metric':
      return `${measure.metric}_${measure.factor}`;
    case 'column':
      return `${measure.aggregation}_${measure.column}`;
    case 'quantile':
      return `q${measure.level}_${measure.column}`;
  }
}

function batchOf(group: StatementGroup): ReadingBatch {
  const columns = new StatementGroupColumns(group);
  const cells = group.members.map((member) => member.reading.ranges.map((range) => columns.cellsOf(member, range)));
  const tenant = tenantOf(group);
  return {
    indexes: group.members.map(({ index }) => index),
    statement: statementFor(tenant, queryOf(group, columns), 'alerts'),
    isCut: (rows) => rows.length > maxRows,
    *samplesOf(rows) {
      const shown = rows.slice(0, maxRows);
      const byPivot =
        group.pivot.length === 0 ? undefined : grouped(shown, (row) => pivotKey(group.pivot.map((_, index) => row[`pivot_${index}`])));
      for (const [at, member] of group.members.entries()) {
        const own = byPivot === undefined ? shown : (byPivot.get(pivotKey(member.pivot?.values ?? [])) ?? []);
        yield [member.index, (cells[at] ?? []).map((cell) => samplesIn(own, cell, member.reading.plan))];
      }
    },
  };
}

function pivotKey(values: readonly unknown[]): string {
  return JSON.stringify(values);
}

function tenantOf({ members: [first] }: StatementGroup): AlertPlan['tenant'] {
  if (first === undefined) throw new TypeError('A statement group has members.');
  return first.reading.plan.tenant;
}

function queryOf({ dimensions, pivot, members }: StatementGroup, { shared, selections, parts, values }: StatementGroupColumns): Query {
  const keys = [
    ...dimensions.map((_, index) => identifier(`dimension_${index}`)),
    ...pivot.map((_, index) => identifier(`pivot_${index}`)),
  ];
  const keyValues = [...dimensions, ...pivot].map((dimension) => valueOf(dimension, utc));
  const chosen = [...selections.values()];
  const rows = select({
    columns: [
      sql`*`,
      ...keyValues.map((value, index) => sql`${value} AS ${keys[index] ?? sql``}`),
      ...chosen.map(({ name, condition }) => sql`ifNull((${condition}), false) AS ${identifier(name)}`),
    ],
    from: requests(conditionsOf(members, keyValues.slice(dimensions.length), shared)),
  });
  const groups = select({ columns: [...keys, ...parts.each(), sql`count() AS requests_in_all`], from: rows, groupBy: keys });
  return select({
    columns: [...keys, ...[...values].map(([cell, value]) => sql`toString(${value}) AS ${identifier(cell)}`)],
    from: groups,
    ...(keys.length === 0 ? {} : { orderBy: [sql`requests_in_all DESC`, ...keys], limit: maxRows + 1 }),
  });
}

/** What every row of the statement satisfies: a range of a member, and a value of the pivot. */
function conditionsOf(members: readonly Member[], pivotValues: readonly Fragment[], shared: FilterNode | undefined): readonly Fragment[] {
  const ranges = united(members.flatMap(({ reading }) => reading.ranges));
  const within = sql`(${join(
    ranges.map((range) => sql`(${withinRange(range)})`),
    ' OR ',
  )})`;
  const sought = pivotValues.map((value, index) => {
    const values = [...new Set(members.flatMap(({ pivot }) => pivot?.values[index] ?? []))];
    return sql`${value} IN ${param(values, 'Array(String)')}`;
  });
  return [within, ...sought, ...(shared === undefined ? [] : [sql`(${compileFilter(shared)})`])];
}

/** The filter that all members have; undefined: they differ, or it reads more than the row. */
function sharedFilter([first, ...others]: readonly Member[]): FilterNode | undefined {
  if (first === undefined || first.filter.kind === 'all' || isExpensive(first.filter)) return undefined;
  const key = JSON.stringify(first.filter);
  return others.every(({ filter }) => JSON.stringify(filter) === key) ? first.filter : undefined;
}

export function withinRange({ from, to }: TimeRange): Fragment {
  return sql`created_at >= ${dateTime64(from)} AND created_at < ${dateTime64(to)}`;
}

/** Ranges without overlaps, in order. */
function united(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const found: TimeRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last === undefined || last.to < range.from) found.push(range);
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return found;
}

function samplesIn(rows: readonly AlertRow[], cell: Cells, plan: AlertPlan): readonly Sample[] {
  return rows.flatMap((row) => {
    const count = Number(row[cell.count] ?? 0);
    return count === 0 ? [] : [{ group: groupValuesOf(plan.dimensions, row), count, value: numberOf(row[cell.value]) }];
  });
}
