import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type Rows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import { columnList, type CopiedTable, copiesAll } from './copied-tables.ts';
import { laneSettings } from './lane-settings.ts';

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
  /** Bytes of the largest row. */
  readonly largest: number;
}

interface DigestRow {
  readonly slice: number | string;
  readonly row_count: number | string;
  readonly hash: string;
  readonly bytes: number | string;
  readonly largest: number | string;
}

export interface DigestOrder {
  /** Absent: all times. */
  readonly within?: Slice;
  readonly widthMs: number;
  readonly columns: readonly string[];
}

/** Digests of some columns of the rows of a table, by the beginning of their slice. @throws GatelogError when the store fails. */
export async function digestsOf(
  connections: Connections,
  table: CopiedTable,
  { widthMs, within, columns }: DigestOrder,
): Promise<ReadonlyMap<number, Digest>> {
  const width = literal(widthMs);
  const values = columnList(columns);
  const statement = select({
    columns: sql`toInt64(floor(toUnixTimestamp64Milli(${table.time}) / ${width}) * ${width}) AS slice, count() AS row_count,
      toString(sum(sipHash64(formatRow('RowBinary', ${values})))) AS hash, sum(byteSize(${values})) AS bytes, max(byteSize(${values})) AS largest`,
    from: within === undefined ? acrossOrganizations(table.name, copiesAll, table.counts) : rowsWithin(table, within),
    groupBy: sql`slice`,
  });
  const rows = await readRows<DigestRow>(connections, 'copy', compileForAll(statement), laneSettings);
  return new Map(
    rows.map(({ slice, row_count: count, hash, bytes, largest }) => [
      Number(slice),
      { rows: Number(count), hash, bytes: Number(bytes), largest: Number(largest) },
    ]),
  );
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
