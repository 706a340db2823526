import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { type Fragment, param, type ParamType, type ParamValues, sql } from '../../sql/sql.ts';
import { requests, type Rows } from '../../sql/tables.ts';

/** Requests of one organisation, found by key. */
export interface KeyedRequests {
  /** @param and further conditions. */
  readonly rows: (and?: readonly Fragment[]) => Rows;
  /** The list's entry for the row; the list is in the order of the identifiers. */
  readonly entry: <Type extends ParamType>(values: ParamValues[Type], type: Type, name: string) => Fragment;
}

/** @param times possible times of the rows, Unix milliseconds. A row's actual time among them finds it by key. */
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
