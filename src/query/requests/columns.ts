import { type OrganizationId, uuidOfHex } from '../../model/ids.ts';
import {
  changeableColumns,
  type ColumnName,
  type ColumnType,
  displayColumns,
  type RequestColumns,
  requestColumns,
} from '../../model/record/columns.ts';
import { failureOfStatus } from '../../model/record/failure.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { identifier } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';

/** A whole number as the store returns it: text when its settings quote 64-bit integers. */
export type NumberCell = number | string;

/** The API's text of a time in Unix milliseconds. */
export function isoTime(ms: NumberCell): string {
  return new Date(Number(ms)).toISOString();
}

/** A value as JSONEachRow returns it. Times are Unix milliseconds, amounts decimal text of US dollars. */
interface CellValues {
  text: string;
  time: NumberCell;
  uint16: NumberCell;
  uint64: NumberCell;
  float64: NumberCell;
  money: string;
  flag: boolean;
  texts: Readonly<Record<string, string>>;
  numbers: Readonly<Record<string, number>>;
  textList: readonly string[];
}

/**
 * The name of a column in a row. TRICKY: computed columns need names that no column of the table has, because the engine would read the
 * alias in WHERE and ORDER BY too.
 */
type CellName<Name extends string, Type extends ColumnType> = Type extends 'time'
  ? Name extends `${infer Stem}_at`
    ? `${Stem}_ms`
    : never
  : Type extends 'money'
    ? `${Name}_text`
    : Name;

type ReadColumn = { [Name in ColumnName]: RequestColumns[Name]['use'] extends 'stored' ? never : Name }[ColumnName];

type Cells = {
  readonly [Name in ReadColumn as CellName<Name, RequestColumns[Name]['type']>]:
    | CellValues[RequestColumns[Name]['type']]
    | (RequestColumns[Name]['nullable'] extends true ? null : never);
};

/** A row of a page. Empty text is absent; JSON columns are text. */
export interface RequestRow extends Cells {
  readonly id: string;
  readonly organization: string;
  readonly created_ms: NumberCell;
  readonly updated_ms: NumberCell;
  /** Decimal text of the column `body_group`. */
  readonly group_text: string;
  /** Only when the plan asks for inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** A row of `bodies` as JSONEachRow returns it. */
export interface BodiesRow {
  readonly id: string;
  readonly request_kind: string;
  readonly request_text: string;
  readonly request_content_type: string;
  readonly response_kind: string;
  readonly response_text: string;
  readonly response_content_type: string;
}

/** The name under which a page reads a column. */
export function cellOf(name: string, type: ColumnType): string {
  if (type === 'time') return name.replace(/_at$/, '_ms');
  return type === 'money' ? `${name}_text` : name;
}

function readColumn(name: string, type: ColumnType): Fragment {
  const cell = cellOf(name, type);
  if (type === 'time') return sql`toUnixTimestamp64Milli(${identifier(name)}) AS ${identifier(cell)}`;
  return type === 'money' ? sql`toString(${identifier(name)}) AS ${identifier(cell)}` : identifier(cell);
}

/** Columns of a query over `requests`, from which {@link decodeRequestRow} makes a {@link RequestRow}. */
export const requestRowColumns: Fragment = join(
  [
    sql`hex(request_id) AS id_hex`,
    readColumn('created_at', 'time'),
    readColumn('updated_at', 'time'),
    sql`toString(body_group) AS group_text`,
    ...changeableColumns.map((name) => readColumn(name, requestColumns[name].type)),
    sql`display`,
  ],
  ', ',
);

/** Columns of a {@link RequestRow} with the inputs. */
export const requestRowWithInputs: Fragment = sql`${requestRowColumns}, inputs`;

/** Parts from before a column was added have no value of it in `display`. */
const displayCells = displayColumns.map((name) => {
  const { type } = requestColumns[name];
  return { cell: cellOf(name, type), absent: type === 'text' ? '' : null };
});

/** @returns a {@link RequestRow} with the other cells of the row. */
export function decodeRequestRow({ id_hex: hex, display, ...row }: Readonly<Record<string, unknown>>, tenant: OrganizationId): RequestRow {
  const cells: Record<string, unknown> = row;
  cells['id'] = uuidOfHex(String(hex).toLowerCase().padStart(32, '0'));
  cells['organization'] = tenant;
  const values = JSON.parse(String(display)) as readonly unknown[];
  for (const [index, { cell, absent }] of displayCells.entries()) cells[cell] = values[index] ?? absent;
  if (values.length < displayCells.length) Object.assign(cells, ofOlderPart(cells));
  return cells as unknown as RequestRow;
}

/** What the schema's defaults say of rows that were written before the columns. */
function ofOlderPart({ time_to_first_token: firstToken, status }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { streamed: firstToken !== null, time_to_first_byte: firstToken, failure_kind: failureOfStatus(Number(status))?.kind ?? '' };
}

/** A row of `bodies` without its long bodies. */
export interface ShortBodiesRow extends BodiesRow {
  readonly request_is_long: boolean;
  readonly response_is_long: boolean;
}

/** Columns of a {@link ShortBodiesRow} for a query over `bodies`; a longer body has an empty text. */
export function shortBodiesColumns(maxBytes: number): Fragment {
  const isLong = (part: 'request' | 'response'): Fragment =>
    sql`length(${identifier(`${part}_body`)}) + length(${identifier(`${part}_rest`)}) > ${literal(maxBytes)}`;
  const textOf = (part: 'request' | 'response'): Fragment =>
    sql`if(${isLong(part)}, '', concat(${identifier(`${part}_body`)}, ${identifier(`${part}_rest`)}))`;
  return sql`UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, ${textOf('request')} AS request_text, request_content_type, toBool(${isLong('request')}) AS request_is_long, response_kind, ${textOf('response')} AS response_text, response_content_type, toBool(${isLong('response')}) AS response_is_long`;
}

/** A row of `bodies` with the first characters of each body. */
export interface BeginningsRow extends BodiesRow {
  readonly request_is_whole: boolean;
  readonly response_is_whole: boolean;
}

/** Columns of a {@link BeginningsRow} for a query over `bodies`. */
export function beginningsColumns(length: number): Fragment {
  const textOf = (part: 'request' | 'response'): Fragment => sql`leftUTF8(${identifier(`${part}_body`)}, ${literal(length)})`;
  const isWhole = (part: 'request' | 'response'): Fragment =>
    sql`toBool(length(${textOf(part)}) = length(${identifier(`${part}_body`)}) AND empty(${identifier(`${part}_rest`)}))`;
  return sql`UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, ${textOf('request')} AS request_text, request_content_type, ${isWhole('request')} AS request_is_whole, response_kind, ${textOf('response')} AS response_text, response_content_type, ${isWhole('response')} AS response_is_whole`;
}

/** Columns of {@link BodiesRow} for a query over `bodies`, which has no alias column for the text of an identifier. */
export const bodiesRowColumns: Fragment = sql`UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, concat(request_body, request_rest) AS request_text, request_content_type, response_kind, concat(response_body, response_rest) AS response_text, response_content_type`;
