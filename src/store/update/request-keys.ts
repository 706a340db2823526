import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { type Fragment, param, type ParamType, type ParamValues, sql } from '../../sql/sql.ts';
import { requests, type Rows } from '../../sql/tables.ts';

/** Requests of one organisation that are found by key. */
export interface KeyedRequests {
  /** @param and what else holds for them. */
  readonly rows: (and?: readonly Fragment[]) => Rows;
  /** The entry of a list that belongs to the row; the list is in the order of the identifiers. */
  readonly entry: <Type extends ParamType>(values: ParamValues[Type], type: Type, name: string) => Fragment;
}

/** @param times at which the rows may be, Unix milliseconds: with its own one among them a row is found by key. */
export function requestsByKey(requestIds: readonly RequestId[], times: readonly number[]): KeyedRequests {
  const ids = param(requestIds.map(uuidToNumber), 'Array(UInt128)', 'ids');
  const createdAts = param([...new Set(times)], 'Array(Int64)', 'times');
  return {
    rows: (and = []) =>
      requests([
        sql`created_at IN (arrayMap(ms -> fromUnixTimestamp64Milli(ms, 'UTC'), ${createdAts}))`,
        sql`request_id IN ${ids}`,
        ...and,
      ]),
    entry: (values, type, name) => sql`${param(values, type, name)}[indexOf(${ids}, request_id)]`,
  };
}
