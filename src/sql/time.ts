import { type Fragment, fragmentOf, type Param, param, sql } from './sql.ts';

/** A time for comparisons with a column `DateTime64(3, 'UTC')`. @param ms Unix milliseconds. @param name as of {@link param}. */
export function dateTime64(ms: number | bigint, name?: string): Fragment {
  return sql`fromUnixTimestamp64Milli(${param(ms, 'Int64', name)}, 'UTC')`;
}

/** The store's first and last time, years 1900 and 2299. */
const [firstTime, lastTime] = [-2_208_988_800_000, 10_413_791_999_999];

/**
 * Times for `IN`, without repetitions; values in the statement let the engine plan it faster than a query for them. A time that the store
 * cannot hold, as in an identifier that somebody made up, becomes its last or first one.
 */
export function dateTimes(times: readonly number[]): Param {
  const held = times.map((ms) => Math.min(Math.max(ms, firstTime), lastTime));
  const texts = [...new Set(held)].map((ms) => new Date(ms).toISOString().replace('T', ' ').slice(0, -1));
  return param(texts, "Array(DateTime64(3, 'UTC'))");
}

/**
 * A bound of `created_at` that all rows of an hour satisfy where one of them does; nothing where it is no bound of a time alone. Rows of up
 * to an hour more satisfy it too.
 */
export function hourWider({ pieces }: Fragment): Fragment {
  const texts = pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join('');
  if (texts.replaceAll(boundOfTime, '').includes('created_at')) return sql`true`;
  return fragmentOf(pieces.map((piece) => (typeof piece === 'string' ? piece.replaceAll(boundOfTime, widened) : piece)));
}

const boundOfTime = /\bcreated_at ([<>]=?) (?=fromUnixTimestamp64Milli\()/g;

function widened(bound: string, sign: string): string {
  return `${bound}toIntervalHour(${sign.startsWith('<') ? 1 : -1}) + `;
}
