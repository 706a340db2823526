import type { RecordedBody, RequestRecord } from '../../model/record/request-record.ts';
import { type ColumnDefinition, columnNames, requestColumns as catalogue } from '../../model/record/columns.ts';
import { endOfCharacters, exceedsBytes } from '../../model/text.ts';
import { defaultSearchMaxBytes } from '../../model/vocabulary/limits.ts';
import { type Span, spansOf } from './spans.ts';
import { changeColumns, changeRows } from './change-rows.ts';
import {
  type Column,
  column,
  dateTime,
  type Kind,
  kinds,
  nullable,
  spans,
  string,
  structureOf,
  uint128,
  uint64,
  writeRow,
} from './column.ts';
import { allNew, nothingNew } from './new-spans.ts';
import type { RowMemory } from './row-memory.ts';
import { RowWriter } from './row-writer.ts';

/**
 * The tables of the record: `requests` for narrow columns that may change, `bodies` for texts that never change, `changes` for the
 * history.
 */
export type RecordTable = 'requests' | 'bodies' | 'changes';

/** The text of a body: the head that filters read, and the rest. */
interface SplitText {
  readonly head: string;
  readonly rest: string;
}

/** A text that a body may contain: where it stands there, else the text itself. */
interface DerivedText {
  readonly spans: readonly Span[];
  readonly text: string;
}

export type BodiesRecord = Pick<
  RequestRecord,
  | 'organizationId'
  | 'createdAt'
  | 'requestId'
  | 'bodyGroup'
  | 'requestBody'
  | 'responseBody'
  | 'promptText'
  | 'lastUserText'
  | 'completionText'
>;

interface RecordTexts {
  readonly record: BodiesRecord;
  readonly request: SplitText;
  readonly response: SplitText;
  readonly prompt: DerivedText;
  readonly lastUser: DerivedText;
  readonly completion: DerivedText;
}

/** The sort key of all record tables. */
const keyColumns: readonly Column<BodiesRecord>[] = [
  column('org_id', uint128, ({ organizationId }) => organizationId),
  column('created_at', dateTime, ({ createdAt }) => createdAt),
  column('request_id', uint128, ({ requestId }) => requestId),
];

const updatedAt: Column<number> = column('updated_at', dateTime, (storedAt) => storedAt);

/** Written when the record's batch is stored, by `numberRow`. */
const storedNumber: Column<unknown> = column('stored_number', uint64, () => 0);

const requestColumns: readonly Column<RequestRecord>[] = columnNames.map((name) => {
  const { type, nullable: mayBeNull, value }: ColumnDefinition = catalogue[name];
  const kind = kinds[type] as Kind<unknown>;
  return column(name, mayBeNull ? nullable(kind) : kind, value);
});

const bodiesColumns: readonly Column<RecordTexts>[] = [
  column('body_group', uint64, ({ record }) => record.bodyGroup),
  column('new_spans', spans, ({ record }) => (record.requestBody.kind === 'binary' ? nothingNew : allNew)),
  column('request_kind', string, ({ record }) => record.requestBody.kind),
  column('request_body', string, ({ request }) => request.head),
  column('response_kind', string, ({ record }) => record.responseBody.kind),
  column('response_body', string, ({ response }) => response.head),
  column('prompt_spans', spans, ({ prompt }) => prompt.spans),
  column('prompt_text', string, ({ prompt }) => prompt.text),
  column('last_user_spans', spans, ({ lastUser }) => lastUser.spans),
  column('last_user_text', string, ({ lastUser }) => lastUser.text),
  column('completion_spans', spans, ({ completion }) => completion.spans),
  column('completion_text', string, ({ completion }) => completion.text),
  column('request_rest', string, ({ request }) => request.rest),
  column('response_rest', string, ({ response }) => response.rest),
  column('request_content_type', string, ({ record }) => contentTypeOf(record.requestBody)),
  column('response_content_type', string, ({ record }) => contentTypeOf(record.responseBody)),
];

/** In the order of a row's values. */
const columnsOf: Readonly<Record<RecordTable, readonly Pick<Column<never>, 'name' | 'type'>[]>> = {
  requests: [...keyColumns, updatedAt, storedNumber, ...requestColumns],
  bodies: [...keyColumns, ...bodiesColumns],
  changes: changeColumns,
};

/** Column names of each table, in the order of a row's values. */
export const rowColumns: Readonly<Record<RecordTable, readonly string[]>> = {
  requests: namesOf(columnsOf.requests),
  bodies: namesOf(columnsOf.bodies),
  changes: namesOf(columnsOf.changes),
};

/** The same with types, which are those of the tables: the engine reads rows by these. */
export const rowStructures: Readonly<Record<RecordTable, string>> = {
  requests: structureOf(columnsOf.requests),
  bodies: structureOf(columnsOf.bodies),
  changes: structureOf(columnsOf.changes),
};

/**
 * A record's rows as RowBinary with the columns of `rowColumns`: one of `requests`, one of `bodies`, and its history in `changes`, usually
 * empty.
 */
export interface RecordRows {
  readonly request: Uint8Array;
  readonly bodies: Uint8Array;
  readonly changes: Uint8Array;
}

export type RowWriters = Readonly<Record<keyof RecordRows, RowWriter>>;

export function newRowWriters(memory?: RowMemory): RowWriters {
  return { request: new RowWriter(memory), bodies: new RowWriter(memory), changes: new RowWriter(memory) };
}

export interface RowOptions {
  /** Maximum bytes of a body's text that filters read. */
  readonly searchMaxBytes?: number | undefined;
  readonly writers?: RowWriters | undefined;
}

/**
 * Encodes a record for its tables.
 * @param storedAt Unix milliseconds.
 * @throws RangeError with the column's name for a value that the store cannot hold.
 */
export function rowsOf(
  record: RequestRecord,
  storedAt: number,
  { searchMaxBytes = defaultSearchMaxBytes, writers = newRowWriters() }: RowOptions = {},
): RecordRows {
  return {
    request: writers.request.row(() => {
      writeRow(writers.request, keyColumns, record);
      writeRow(writers.request, [updatedAt, storedNumber], storedAt);
      writeRow(writers.request, requestColumns, record);
    }),
    bodies: bodiesRow(record, { searchMaxBytes, writer: writers.bodies }),
    changes: changeRows(record.changes, writers.changes),
  };
}

/** The row of `bodies` alone. */
export function bodiesRow(
  record: BodiesRecord,
  {
    searchMaxBytes = defaultSearchMaxBytes,
    writer = new RowWriter(),
  }: { readonly searchMaxBytes?: number | undefined; readonly writer?: RowWriter },
): Uint8Array {
  return writer.row(() => {
    writeRow(writer, keyColumns, record);
    writeRow(writer, bodiesColumns, textsOf(record, searchMaxBytes));
  });
}

function namesOf(columns: readonly Pick<Column<never>, 'name' | 'type'>[]): readonly string[] {
  return columns.map(({ name }) => name);
}

function textsOf(record: BodiesRecord, searchMaxBytes: number): RecordTexts {
  const { requestBody, responseBody } = record;
  return {
    record,
    request: splitText(requestBody, searchMaxBytes),
    response: splitText(responseBody, searchMaxBytes),
    prompt: derivedText(record.promptText, requestBody),
    lastUser: derivedText(record.lastUserText, requestBody),
    completion: derivedText(record.completionText, responseBody),
  };
}

function derivedText(text: string, body: RecordedBody): DerivedText {
  const found = body.kind === 'json' && text !== '' ? spansOf(text, body.text) : undefined;
  return found === undefined ? { spans: [], text } : { spans: found, text: '' };
}

/** A binary body stays whole, because filters do not read it. */
function splitText(body: RecordedBody, maxBytes: number): SplitText {
  const text = bodyText(body);
  if (body.kind === 'binary' || !exceedsBytes(text, maxBytes)) return { head: text, rest: '' };
  const bytes = Buffer.from(text);
  const end = endOfCharacters(bytes, maxBytes);
  return { head: bytes.toString('utf8', 0, end), rest: bytes.toString('utf8', end) };
}

function contentTypeOf(body: RecordedBody): string {
  return body.kind === 'binary' ? body.contentType : '';
}

function bodyText(body: RecordedBody): string {
  switch (body.kind) {
    case 'absent':
      return '';
    case 'json':
    case 'text':
      return body.text;
    case 'binary':
      return body.base64;
  }
}
