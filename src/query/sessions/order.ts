import { bodyFault, type Result, success } from '../../model/fault.ts';
import { isJsonObject } from '../../model/text.ts';
import { type SessionSortKey, sessionSortKeys, type SortDirection } from '../../model/vocabulary/sort.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { dateTime64 } from '../../sql/time.ts';
import { code, codeList, didYouMean, preview } from '../filter/preview.ts';
import { readDirection } from '../requests/sort.ts';
import { costOf, endOf, failedOf, latenciesOf, requestsOf, type SessionRow, startOf, sumOf } from './columns.ts';
import type { MatchedAggregate } from './conditions.ts';

export interface SessionSortTerm {
  readonly key: SessionSortKey;
  readonly direction: SortDirection;
}

/** Where a page of sessions ends: the last session's sort values as text, and its identifier. */
export interface SessionPosition {
  readonly values: readonly string[];
  readonly sessionId: string;
}

/** Cells of a row that its position is made of. */
export type PositionCells = Pick<
  SessionRow,
  'session_id' | 'first_ms' | 'latest_ms' | 'cost_sum' | 'request_count' | 'failed_count' | 'total_sum' | 'latency_sum' | 'latency_count'
>;

/** A sort value in SQL, in a row of the page and in a cursor. */
interface SortValue {
  readonly over: (aggregate: MatchedAggregate) => Fragment;
  readonly textIn: (row: PositionCells) => string;
  /** @returns undefined for an invalid text. */
  readonly read: (text: string) => Fragment | undefined;
}

const time = (over: SortValue['over'], textIn: SortValue['textIn']): SortValue => ({
  over,
  textIn,
  read: (text) => (/^-?\d{1,16}$/.test(text) ? dateTime64(BigInt(text)) : undefined),
});

const integerValue = (over: SortValue['over'], textIn: SortValue['textIn']): SortValue => ({
  over,
  textIn,
  read: (text) => (/^\d{1,39}$/.test(text) && BigInt(text) < 2n ** 128n ? sql`${param(BigInt(text), 'UInt128')}` : undefined),
});

/** Whole units of an average, so that the store and a cursor agree to the last digit. */
const averageUnits = 10n ** 18n;

const sortValues: Readonly<Record<SessionSortKey, SortValue>> = {
  created_at: time(startOf, (row) => String(row.first_ms)),
  latest_request_created_at: time(endOf, (row) => String(row.latest_ms)),
  total_cost: {
    over: costOf,
    textIn: (row) => row.cost_sum,
    read: (text) => (/^-?\d{1,26}(?:\.\d{1,12})?$/.test(text) ? sql`${param(text, 'Decimal(38, 12)')}` : undefined),
  },
  total_requests: integerValue(requestsOf, (row) => String(row.request_count)),
  failed: integerValue(failedOf, (row) => String(row.failed_count)),
  total_tokens: integerValue(
    (aggregate) => sumOf(sql`total_tokens`, aggregate),
    (row) => row.total_sum,
  ),
  avg_latency: integerValue(averageOver, (row) => {
    const count = BigInt(row.latency_count);
    return count === 0n ? '0' : String((BigInt(row.latency_sum) * averageUnits) / count);
  }),
};

/** TRICKY: the engine divides before it chooses, so the divisor is never 0. */
function averageOver(aggregate: MatchedAggregate): Fragment {
  const sum = sql`toUInt256(${sumOf(sql`latency`, aggregate)})`;
  return sql`toUInt128(intDiv(${sum} * ${param(averageUnits, 'UInt128')}, greatest(${latenciesOf(aggregate)}, 1)))`;
}

const latestFirst: readonly SessionSortTerm[] = [{ key: 'created_at', direction: 'desc' }];

/** Parses `sort` of a session query: keys in the order written. Absent or empty means the latest first. */
export function parseSessionSort(sort: unknown): Result<readonly SessionSortTerm[]> {
  if (sort === undefined) return success(latestFirst);
  if (!isJsonObject(sort)) return bodyFault(['sort'], `\`sort\` takes an object such as {"total_cost": "desc"}; got ${preview(sort)}.`);
  const terms: SessionSortTerm[] = [];
  for (const [key, value] of Object.entries(sort)) {
    if (!isSessionSortKey(key)) {
      const known = Object.keys(sessionSortKeys);
      return bodyFault(['sort', key], `Unknown sort key ${code(key)}.${didYouMean(key, known)} Known keys: ${codeList(known)}.`);
    }
    const direction = readDirection([key], value);
    if (!direction.ok) return direction;
    terms.push({ key, direction: direction.value });
  }
  return success(terms.length === 0 ? latestFirst : terms);
}

function isSessionSortKey(key: string): key is SessionSortKey {
  return Object.hasOwn(sessionSortKeys, key);
}

/** The terms before the identifier: of equal sessions the latest comes first. */
function totalOrder(sort: readonly SessionSortTerm[]): readonly SessionSortTerm[] {
  return sort.some(({ key }) => key === 'created_at') ? sort : [...sort, ...latestFirst];
}

/** The complete order of a page; identifiers decide between sessions that are equal otherwise. */
export function sessionOrderBy(sort: readonly SessionSortTerm[], aggregate: MatchedAggregate): readonly Fragment[] {
  const terms = totalOrder(sort).map(
    ({ key, direction }) => sql`${sortValues[key].over(aggregate)} ${direction === 'asc' ? sql`ASC` : sql`DESC`}`,
  );
  return [...terms, sql`session_id ASC`];
}

export function positionOf(sort: readonly SessionSortTerm[], row: PositionCells): SessionPosition {
  return { values: totalOrder(sort).map(({ key }) => sortValues[key].textIn(row)), sessionId: row.session_id };
}

/** Whether the position has a valid value for every term of the order. */
export function isPositionOf(sort: readonly SessionSortTerm[], { values }: SessionPosition): boolean {
  const terms = totalOrder(sort);
  return values.length === terms.length && terms.every(({ key }, index) => sortValues[key].read(values[index] ?? '') !== undefined);
}

/** The condition for sessions behind a position. */
export function behindSession(
  sort: readonly SessionSortTerm[],
  { values, sessionId }: SessionPosition,
  aggregate: MatchedAggregate,
): Fragment {
  const compared = totalOrder(sort).map(({ key, direction }, index) => {
    const { over, read } = sortValues[key];
    const at = read(values[index] ?? '');
    if (at === undefined) throw new TypeError('A cursor was not checked before it was compiled.');
    return { value: over(aggregate), at, past: direction === 'asc' ? sql`>` : sql`<` };
  });
  const same = compared.map(({ value, at }) => sql`${value} = ${at}`);
  const alternatives = compared.map(
    ({ value, at, past }, index) => sql`(${join([...same.slice(0, index), sql`${value} ${past} ${at}`], ' AND ')})`,
  );
  return sql`(${join([...alternatives, sql`(${join([...same, sql`session_id > ${param(sessionId, 'String')}`], ' AND ')})`], ' OR ')})`;
}
