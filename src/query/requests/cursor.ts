import type { Result } from '../../contract/fault.ts';
import { fingerprint } from '../../model/fingerprint.ts';
import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { ownRows } from '../../sql/tables.ts';
import { identifier } from '../../sql/identifier.ts';
import { orderOf, type SortColumn } from './order.ts';
import { bodyFault, success } from '../outcome.ts';
import type { RequestQueryStatement } from './question.ts';
import type { NumberCell } from './columns.ts';

/**
 * The sort values of a page's last row. A text is `=` and the value, `-` without one, `*` for a value that is too long to carry and is
 * read again from its row.
 */
export interface Keyset {
  /** Unix milliseconds as text. */
  readonly arrival: string;
  /** The identifier's number as text. */
  readonly id: string;
  readonly values: readonly string[];
}

/** Sort values of a row beside its key, in the form of {@link Keyset}. */
export type SortCells = Readonly<Record<`sort_${number}`, string>>;

/** Maximum length of a cursor; none of ours is longer. */
const maxCursor = 16 * 1024;
/** Bytes of all values in a cursor: clients accept headers of 16 KiB in all. */
const maxCursorBytes = 3 * 1024;
const notOurs = '`cursor` is not one that was given here. Send the value of the response header svc-next-cursor as it was.';
const otherQuery = '`cursor` belongs to another filter, sort or flags. Send it with the query that gave it, or begin without it.';

/** The cursor behind a row. @returns undefined for a random order, which has none. */
export function cursorBehind(
  question: RequestQueryStatement,
  row: SortCells & { readonly id: string; readonly created_ms: NumberCell },
): string | undefined {
  if (question.sort === 'random') return undefined;
  const values = carriedSteps(orderOf(question.sort)).map((_, index) => row[`sort_${index}`] ?? '-');
  const id = uuidToNumber(row.id as RequestId).toString();
  const cursor = { v: 1, q: markOf(question), a: String(row.created_ms), i: id, s: values };
  return Buffer.from(JSON.stringify({ ...cursor, s: carriedWithin(values) })).toString('base64url');
}

/** Replaces the longest values, which are read again, until the rest fits. */
function carriedWithin(values: readonly string[]): readonly string[] {
  const bytes = values.map((value) => Buffer.byteLength(JSON.stringify(value)));
  const kept = [...values];
  for (let sum = bytes.reduce((total, size) => total + size, 0); sum > maxCursorBytes;) {
    const longest = bytes.indexOf(Math.max(...bytes));
    sum -= bytes[longest] ?? sum;
    bytes[longest] = 0;
    kept[longest] = '*';
  }
  return kept;
}

/** Parses a caller's cursor. */
export function parseCursor(text: string, question: RequestQueryStatement): Result<Keyset> {
  if (question.sort === 'random') return cursorFault('A random order has no cursor: each page is drawn anew.');
  const decoded = text.length > maxCursor ? undefined : parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(decoded) || decoded['v'] !== 1) return cursorFault(notOurs);
  if (decoded['q'] !== markOf(question)) return cursorFault(otherQuery);
  const { a: arrival, i: id, s: values } = decoded;
  const isRead = typeof arrival === 'string' && typeof id === 'string' && Array.isArray(values);
  if (!isRead || !values.every((value) => typeof value === 'string')) return cursorFault(notOurs);
  const position: Keyset = { arrival, id, values };
  return isPlaceIn(orderOf(question.sort), position) ? success(position) : cursorFault(notOurs);
}

/** Columns of {@link SortCells} for a page in this order. */
export function sortCellColumns(steps: readonly SortColumn[]): readonly Fragment[] {
  return carriedSteps(steps).map(
    ({ value, longText }, index) =>
      sql`multiIf(isNull(${value}), '-', ${longText ? sql`lengthUTF8(toString(${value})) > 500` : sql`false`}, '*', concat('=', toString(${value}))) AS ${identifier(`sort_${index}`)}`,
  );
}

/** The condition for rows behind a keyset. */
export function afterKeyset(steps: readonly SortColumn[], position: Keyset): Fragment {
  const places = placesOf(steps, position);
  const ways: Fragment[] = [];
  for (const [index, place] of places.entries()) {
    const past = isPast(place);
    if (past !== undefined) ways.push(sql`(${join([...places.slice(0, index).map(isAt), past], ' AND ')})`);
  }
  const anyWay = sql`(${join(ways, ' OR ')})`;
  const [first] = places;
  if (first?.step.from !== 'arrival' || first.value === null) return anyWay;
  // With this bound the engine reads in key order from here, without analysing the alternatives.
  return sql`${first.step.value} ${first.step.direction === 'asc' ? sql`>=` : sql`<=`} ${first.value} AND ${anyWay}`;
}

interface Place {
  readonly step: SortColumn;
  /** Null: the keyset's row has no value. */
  readonly value: Fragment | null;
  /** The value is read from the keyset's row, so it may turn out to be null. */
  readonly again: boolean;
}

function isPast({ step, value, again }: Place): Fragment | undefined {
  if (value === null) return undefined;
  const past = sql`${step.value} ${step.direction === 'asc' ? sql`>` : sql`<`} ${value}`;
  if (again) return sql`(${past} OR (isNull(${step.value}) AND isNotNull(${value})))`;
  return step.nullable ? sql`(${past} OR isNull(${step.value}))` : past;
}

function isAt({ step, value, again }: Place): Fragment {
  if (value === null) return sql`isNull(${step.value})`;
  const same = sql`${step.value} = ${value}`;
  return again ? sql`(${same} OR (isNull(${step.value}) AND isNull(${value})))` : same;
}

function placesOf(steps: readonly SortColumn[], position: Keyset): readonly Place[] {
  const carried = carriedSteps(steps);
  return steps.map((step) => {
    if (step.from !== 'values') return { step, value: readKnown(step, step.from === 'id' ? position.id : position.arrival), again: false };
    const text = position.values[carried.indexOf(step)] ?? '-';
    if (text === '-') return { step, value: null, again: false };
    return text === '*'
      ? { step, value: valueAt(step, steps, position), again: true }
      : { step, value: readKnown(step, text.slice(1)), again: false };
  });
}

/** The value of a column in the keyset's row. */
function valueAt(step: SortColumn, steps: readonly SortColumn[], position: Keyset): Fragment {
  const key = steps
    .filter(({ from }) => from !== 'values')
    .map((one) => sql`${one.value} = ${readKnown(one, one.from === 'id' ? position.id : position.arrival)}`);
  return sql`${select({ columns: step.value, from: ownRows(step.beside === 'bodies' ? 'bodies' : 'requests', key) })}`;
}

function readKnown(step: SortColumn, text: string): Fragment {
  const value = step.read(text);
  if (value === undefined) throw new TypeError('A cursor was not checked before it was compiled.');
  return value;
}

function isPlaceIn(steps: readonly SortColumn[], { arrival, id, values }: Keyset): boolean {
  const carried = carriedSteps(steps);
  const keyed = steps.every(({ from, read }) => from === 'values' || read(from === 'id' ? id : arrival) !== undefined);
  const hasForm = (value: string, index: number): boolean =>
    value === '-' ||
    (value === '*' && carried[index]?.longText === true) ||
    (value.startsWith('=') && carried[index]?.read(value.slice(1)) !== undefined);
  return keyed && values.length === carried.length && values.every(hasForm);
}

function carriedSteps(steps: readonly SortColumn[]): readonly SortColumn[] {
  return steps.filter(({ from }) => from === 'values');
}

function markOf({ tenant, filter, flags, sort }: RequestQueryStatement): string {
  return fingerprint(JSON.stringify([tenant, filter, flags, sort]));
}

function cursorFault(message: string): Result<never> {
  return bodyFault(['cursor'], message);
}
