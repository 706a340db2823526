import { type Fragment, param, sql } from './sql.ts';

/** A time for comparisons with a column `DateTime64(3, 'UTC')`. @param ms Unix milliseconds. @param name as of {@link param}. */
export function dateTime64(ms: number | bigint, name?: string): Fragment {
  return sql`fromUnixTimestamp64Milli(${param(ms, 'Int64', name)}, 'UTC')`;
}
