import { type Fragment, type Param, param, sql } from './sql.ts';

/** A time for comparisons with a column `DateTime64(3, 'UTC')`. @param ms Unix milliseconds. @param name as of {@link param}. */
export function dateTime64(ms: number | bigint, name?: string): Fragment {
  return sql`fromUnixTimestamp64Milli(${param(ms, 'Int64', name)}, 'UTC')`;
}

/** Times for `IN`, without repetitions; values in the statement let the engine plan it faster than a query for them. */
export function dateTimes(times: readonly number[]): Param {
  const texts = [...new Set(times)].map((ms) => new Date(ms).toISOString().replace('T', ' ').slice(0, -1));
  return param(texts, "Array(DateTime64(3, 'UTC'))");
}
