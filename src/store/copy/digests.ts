import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type Rows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import { columnList, type CopiedTable, copiesAll } from './copied-tables.ts';

/** A stretch of time, Unix milliseconds; its end is not in it. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

/** What the rows of a slice are: equal digests, equal rows. */
export interface Digest {
  readonly rows: number;
  /** A sum of hashes of all their values, as text. */
  readonly hash: string;
  readonly bytes: number;
}

interface DigestRow {
  readonly slice: number | string;
  readonly row_count: number | string;
  readonly hash: string;
  readonly bytes: number | string;
}

export interface DigestOrder {
  readonly within: Slice;
  readonly widthMs: number;
  /** Without the texts of bodies, which are not in the bytes either. */
  readonly isLight: boolean;
}

/** Digests of the rows of a table, by the beginning of their slice. @throws GatelogError when the store fails. */
export async function digestsOf(
  connections: Connections,
  table: CopiedTable,
  { widthMs, within, isLight }: DigestOrder,
): Promise<ReadonlyMap<number, Digest>> {
  const columns = columnList(isLight ? table.light : table.columns);
  const statement = select({
    columns: sql`${sliceOf(table, widthMs)} AS slice, count() AS row_count,
      toString(sum(sipHash64(formatRow('RowBinary', ${columns})))) AS hash, sum(byteSize(${columns})) AS bytes`,
    from: rowsWithin(table, within),
    groupBy: sql`slice`,
  });
  const rows = await readRows<DigestRow>(connections, 'copy', compileForAll(statement));
  return new Map(
    rows.map(({ slice, row_count: count, hash, bytes }) => [Number(slice), { rows: Number(count), hash, bytes: Number(bytes) }]),
  );
}

/** Numbers of the rows of a table, by the beginning of their slice. @throws GatelogError when the store fails. */
export async function countsOf(connections: Connections, table: CopiedTable, widthMs: number): Promise<ReadonlyMap<number, number>> {
  const statement = select({
    columns: sql`${sliceOf(table, widthMs)} AS slice, count() AS row_count`,
    from: acrossOrganizations(table.name, copiesAll, table.counts),
    groupBy: sql`slice`,
  });
  const rows = await readRows<Pick<DigestRow, 'slice' | 'row_count'>>(connections, 'copy', compileForAll(statement));
  return new Map(rows.map(({ slice, row_count: count }) => [Number(slice), Number(count)]));
}

function sliceOf({ time }: CopiedTable, widthMs: number): Fragment {
  const width = literal(widthMs);
  return sql`toInt64(floor(toUnixTimestamp64Milli(${time}) / ${width}) * ${width})`;
}

/** The rows of a slice that count. */
export function rowsWithin(table: CopiedTable, slice: Slice): Rows {
  return acrossOrganizations(table.name, copiesAll, [...table.counts, ...isWithin(table, slice)]);
}

/** All rows of a slice. */
export function everythingWithin(table: CopiedTable, slice: Slice): Rows {
  return acrossOrganizations(table.name, copiesAll, isWithin(table, slice));
}

function isWithin({ time }: CopiedTable, { from, to }: Slice): readonly Fragment[] {
  return [sql`${time} >= ${dateTime64(from, 'from')}`, sql`${time} < ${dateTime64(to, 'to')}`];
}

export function isSame(one: Digest | undefined, other: Digest | undefined): boolean {
  return (one?.rows ?? 0) === (other?.rows ?? 0) && (one?.hash ?? '0') === (other?.hash ?? '0');
}
