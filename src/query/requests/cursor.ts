import { bodyFault, type Result } from '../../model/fault.ts';
import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import type { JsonObject } from '../../model/text.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { requests } from '../../sql/tables.ts';
import { identifier } from '../../sql/identifier.ts';
import { orderOf, type SortColumn, textsOf } from './order.ts';
import { maxCursorTextBytes, readCursor, writeCursor } from '../cursor-text.ts';
import type { RequestSelection } from './selection.ts';
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

const otherQuery = '`cursor` belongs to another filter, sort or flags. Send it with the query that gave it, or begin without it.';

/** The cursor behind a row. @returns undefined for a random order, which has none. */
export function cursorBehind(
  selection: RequestSelection,
  row: SortCells & { readonly id: string; readonly created_ms: NumberCell },
): string | undefined {
  if (selection.sort === 'random') return undefined;
  const values = carriedSteps(orderOf(selection.sort)).map((_, index) => row[`sort_${index}`] ?? '-');
  const id = uuidToNumber(row.id as RequestId).toString();
  return writeCursor(identityOf(selection), { a: String(row.created_ms), i: id, s: carriedWithin(values) });
}

/** Replaces the longest values, which are read again, until the rest fits. */
function carriedWithin(values: readonly string[]): readonly string[] {
  const bytes = values.map((value) => Buffer.byteLength(JSON.stringify(value)));
  const carried = [...values];
  for (let sum = bytes.reduce((total, size) => total + size, 0); sum > maxCursorTextBytes;) {
    const longest = bytes.indexOf(Math.max(...bytes));
    sum -= bytes[longest] ?? sum;
    bytes[longest] = 0;
    carried[longest] = '*';
  }
  return carried;
}

export function parseCursor(text: string, selection: RequestSelection): Result<Keyset> {
  const { sort } = selection;
  if (sort === 'random') return bodyFault(['cursor'], 'A random order has no cursor: each page is drawn again.');
  return readCursor(text, {
    query: identityOf(selection),
    otherQuery,
    positionOf: (position) => keysetIn(position, orderOf(sort)),
  });
}

function keysetIn({ a: arrival, i: id, s: values }: JsonObject, steps: readonly SortColumn[]): Keyset | undefined {
  if (typeof arrival !== 'string' || typeof id !== 'string' || !Array.isArray(values)) return undefined;
  if (!values.every((value) => typeof value === 'string')) return undefined;
  const keyset: Keyset = { arrival, id, values };
  return fits(steps, keyset) ? keyset : undefined;
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
  const compared = keysetSteps(steps, position);
  const alternatives: Fragment[] = [];
  for (const [index, current] of compared.entries()) {
    const past = isPast(current);
    if (past !== undefined) alternatives.push(sql`(${join([...compared.slice(0, index).map(isAt), past], ' AND ')})`);
  }
  const isBehind = sql`(${join(alternatives, ' OR ')})`;
  const [first] = compared;
  if (first?.step.from !== 'arrival' || first.value === null) return isBehind;
  // With this bound the engine reads in key order from here, without analysing the alternatives.
  return sql`${first.step.value} ${first.step.direction === 'asc' ? sql`>=` : sql`<=`} ${first.value} AND ${isBehind}`;
}

interface KeysetStep {
  readonly step: SortColumn;
  /** Null: the keyset's row has no value. */
  readonly value: Fragment | null;
  /** The value is read from the keyset's row, so it may turn out to be null. */
  readonly isReread: boolean;
}

function isPast({ step, value, isReread }: KeysetStep): Fragment | undefined {
  if (value === null) return undefined;
  const past = sql`${step.value} ${step.direction === 'asc' ? sql`>` : sql`<`} ${value}`;
  if (isReread) return sql`(${past} OR (isNull(${step.value}) AND isNotNull(${value})))`;
  return step.nullable ? sql`(${past} OR isNull(${step.value}))` : past;
}

function isAt({ step, value, isReread }: KeysetStep): Fragment {
  if (value === null) return sql`isNull(${step.value})`;
  const same = sql`${step.value} = ${value}`;
  return isReread ? sql`(${same} OR (isNull(${step.value}) AND isNull(${value})))` : same;
}

function keysetSteps(steps: readonly SortColumn[], position: Keyset): readonly KeysetStep[] {
  const carried = carriedSteps(steps);
  return steps.map((step) => {
    if (step.from !== 'values') {
      return { step, value: readKnown(step, step.from === 'id' ? position.id : position.arrival), isReread: false };
    }
    const text = position.values[carried.indexOf(step)] ?? '-';
    if (text === '-') return { step, value: null, isReread: false };
    return text === '*'
      ? { step, value: valueAt(step, steps, position), isReread: true }
      : { step, value: readKnown(step, text.slice(1)), isReread: false };
  });
}

/** The value of a column in the keyset's row. */
function valueAt(step: SortColumn, steps: readonly SortColumn[], position: Keyset): Fragment {
  const key = steps
    .filter(({ from }) => from !== 'values')
    .map((one) => sql`${one.value} = ${readKnown(one, one.from === 'id' ? position.id : position.arrival)}`);
  return sql`${select({ columns: step.value, from: step.source === 'bodies' ? textsOf(key) : requests(key) })}`;
}

function readKnown(step: SortColumn, text: string): Fragment {
  const value = step.read(text);
  if (value === undefined) throw new TypeError('A cursor was not checked before it was compiled.');
  return value;
}

function fits(steps: readonly SortColumn[], { arrival, id, values }: Keyset): boolean {
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

function identityOf({ tenant, filter, flags, sort }: RequestSelection): readonly unknown[] {
  return [tenant, filter, flags, sort];
}
