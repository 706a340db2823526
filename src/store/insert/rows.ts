import type { RecordedBody, RequestRecord } from '../../model/record/request-record.ts';
import { partCounts, totalTokens, type Usage } from '../../model/record/usage.ts';
import { defaultSearchMaxBytes } from '../../model/vocabulary/limits.ts';
import { changeColumns, changeRows } from './change-rows.ts';
import {
  bool,
  type Column,
  column,
  dateTime,
  decimal,
  float64,
  listOf,
  mapOf,
  nullable,
  string,
  structureOf,
  uint128,
  uint16,
  uint64,
  writeRow,
} from './column.ts';
import type { RowMemory } from './buffer-pool.ts';
import { maxBytesOfUnit, RowWriter } from './row-writer.ts';

/** The tables of the record: what is narrow and may change, the texts, which may not, and the history of what changed. */
export type RecordTable = 'requests' | 'bodies' | 'changes';

/** A body's text in two: what filters look at, and the rest. */
interface SplitText {
  readonly head: string;
  readonly rest: string;
}

/** A record with the texts of its bodies. */
interface RecordTexts {
  readonly record: RequestRecord;
  readonly request: SplitText;
  readonly response: SplitText;
}

/** What every table of records is ordered by. */
const keyColumns: readonly Column<RequestRecord>[] = [
  column('org_id', uint128, ({ organizationId }) => organizationId),
  column('created_at', dateTime, ({ createdAt }) => createdAt),
  column('request_id', uint128, ({ requestId }) => requestId),
];

/** When the record was stored. */
const updatedAt: Column<number> = column('updated_at', dateTime, (storedAt) => storedAt);

const requestColumns: readonly Column<RequestRecord>[] = [
  column('response_created_at', nullable(dateTime), ({ responseCreatedAt }) => responseCreatedAt),
  column('key_hash', string, ({ keyHash }) => keyHash),
  column('method', string, ({ method }) => method),
  column('path', string, ({ path }) => path),
  column('target_url', string, ({ targetUrl }) => targetUrl),
  column('provider', string, ({ provider }) => provider),
  column('request_model', string, ({ requestModel }) => requestModel),
  column('response_model', string, ({ responseModel }) => responseModel),
  column('model', string, ({ model }) => model),
  column('response_id', string, ({ responseId }) => responseId),
  column('status', uint16, ({ status }) => status),
  column('latency', nullable(uint64), ({ latencyMs }) => latencyMs),
  column('gateway_overhead', nullable(float64), ({ gatewayOverheadMs }) => gatewayOverheadMs),
  column('total_tokens', nullable(uint64), ({ usage }) => exactTotal(usage)),
  column('prompt_tokens', nullable(uint64), ({ usage }) => usage.promptTokens),
  column('completion_tokens', nullable(uint64), ({ usage }) => usage.completionTokens),
  column('usage_raw', string, ({ usage }) => usageText(usage)),
  column('cost', nullable(decimal), ({ cost }) => cost),
  column('cost_source', string, ({ costSource }) => costSource),
  column('price_reference', string, ({ priceReference }) => priceReference),
  column('applied_price', string, ({ appliedPrice }) => appliedPrice),
  column('size_bytes', uint64, ({ sizeBytes }) => sizeBytes),
  column('storage_location', string, () => 'clickhouse'),
  column('user_id', string, ({ userId }) => userId),
  column('properties', mapOf(string), ({ properties }) => properties),
  column('session_id', string, ({ sessionId }) => sessionId),
  column('session_name', string, ({ sessionName }) => sessionName),
  column('session_path', string, ({ sessionPath }) => sessionPath),
  column('time_to_first_token', nullable(uint64), ({ timeToFirstTokenMs }) => timeToFirstTokenMs),
  column('prompt_cache_read_tokens', nullable(uint64), ({ usage }) => usage.promptCacheReadTokens),
  column('reasoning_tokens', nullable(uint64), ({ usage }) => usage.reasoningTokens),
  column('usage_parts', mapOf(uint64), ({ usage }) => partsOf(usage)),
  column('service_tier', string, ({ serviceTier }) => serviceTier),
  column('referrer', string, ({ referrer }) => referrer),
  column('country_code', string, ({ countryCode }) => countryCode),
  column('model_override', string, ({ modelOverride }) => modelOverride),
  column('node_id', string, ({ nodeId }) => nodeId),
  column('job_id', string, ({ jobId }) => jobId),
  column('prompt_id', string, ({ promptId }) => promptId),
  column('prompt_version', string, ({ promptVersion }) => promptVersion),
  column('experiment_id', string, ({ experimentId }) => experimentId),
  column('inputs', mapOf(string), ({ inputs }) => inputs),
  column('attempts', string, ({ attempts }) => (attempts.length > 1 ? JSON.stringify(attempts) : '')),
  column('prompt_cache_write_tokens', nullable(uint64), ({ usage }) => usage.promptCacheWriteTokens),
  column('prompt_audio_tokens', nullable(uint64), ({ usage }) => usage.promptAudioTokens),
  column('completion_audio_tokens', nullable(uint64), ({ usage }) => usage.completionAudioTokens),
  column('usage_estimated', bool, ({ usage }) => usage.estimated),
  column('cache_enabled', bool, ({ cacheEnabled }) => cacheEnabled),
  column('cached', bool, ({ cached }) => cached),
  column('cache_reference_id', string, ({ cacheReferenceId }) => cacheReferenceId),
  column('cache_created_at', nullable(dateTime), ({ cacheCreatedAt }) => cacheCreatedAt),
  column('threat', nullable(bool), ({ threat }) => threat),
  column('is_passthrough_billing', nullable(bool), ({ isPassthroughBilling }) => isPassthroughBilling),
  column('assets', listOf(string), ({ assets }) => assets),
  column('scores', mapOf(float64), ({ scores }) => scores),
  column('feedback_number', nullable(uint64), ({ feedback }) => feedback?.number ?? null),
  column('feedback_rating', nullable(bool), ({ feedback }) => feedback?.rating ?? null),
  column('feedback_created_at', nullable(dateTime), ({ feedback }) => feedback?.createdAt ?? null),
  column('request_body_cut', bool, ({ requestBodyCut }) => requestBodyCut),
  column('response_body_cut', bool, ({ responseBodyCut }) => responseBodyCut),
  column('aliased_names', bool, ({ aliasedNames }) => aliasedNames),
  column('session_changes', listOf(uint64), ({ sessionChanges }) => sessionChanges),
];

const bodiesColumns: readonly Column<RecordTexts>[] = [
  column('request_kind', string, ({ record }) => record.requestBody.kind),
  column('request_body', string, ({ request }) => request.head),
  column('response_kind', string, ({ record }) => record.responseBody.kind),
  column('response_body', string, ({ response }) => response.head),
  column('prompt_text', string, ({ record }) => record.promptText),
  column('last_user_text', string, ({ record }) => record.lastUserText),
  column('completion_text', string, ({ record }) => record.completionText),
  column('request_rest', string, ({ request }) => request.rest),
  column('response_rest', string, ({ response }) => response.rest),
  column('request_content_type', string, ({ record }) => contentTypeOf(record.requestBody)),
  column('response_content_type', string, ({ record }) => contentTypeOf(record.responseBody)),
];

/** The tables with their columns, in the order of a row's values. */
const columnsOf: Readonly<Record<RecordTable, readonly Pick<Column<never>, 'name' | 'type'>[]>> = {
  requests: [...keyColumns, updatedAt, ...requestColumns],
  bodies: [...keyColumns, ...bodiesColumns],
  changes: changeColumns,
};

/** The columns of a row of each table, in the order of its values. */
export const rowColumns: Readonly<Record<RecordTable, readonly string[]>> = {
  requests: namesOf(columnsOf.requests),
  bodies: namesOf(columnsOf.bodies),
  changes: namesOf(columnsOf.changes),
};

/** The same with their types, as a table function takes them. */
export const rowStructures: Readonly<Record<RecordTable, string>> = {
  requests: structureOf(columnsOf.requests),
  bodies: structureOf(columnsOf.bodies),
  changes: structureOf(columnsOf.changes),
};

/** A record's rows, as RowBinary with the columns of `rowColumns`: one of `requests`, one of `bodies`, and of `changes` as many as it has history, usually none. */
export interface RecordRows {
  readonly request: Uint8Array;
  readonly bodies: Uint8Array;
  readonly changes: Uint8Array;
}

/** Where the rows of several records are written. */
export type RowWriters = Readonly<Record<keyof RecordRows, RowWriter>>;

/** Writers of which each has written nothing. */
export function newRowWriters(memory?: RowMemory): RowWriters {
  return { request: new RowWriter(memory), bodies: new RowWriter(memory), changes: new RowWriter(memory) };
}

export interface RowOptions {
  /** Bytes of a body's text that filters look at. */
  readonly searchMaxBytes?: number | undefined;
  readonly writers?: RowWriters | undefined;
}

/**
 * Writes a record for its tables. @param storedAt Unix milliseconds.
 * @throws RangeError with the column's name on a value that the store does not hold.
 */
export function rowsOf(
  record: RequestRecord,
  storedAt: number,
  { searchMaxBytes = defaultSearchMaxBytes, writers = newRowWriters() }: RowOptions = {},
): RecordRows {
  return {
    request: writers.request.row(() => {
      writeRow(writers.request, keyColumns, record);
      writeRow(writers.request, [updatedAt], storedAt);
      writeRow(writers.request, requestColumns, record);
    }),
    bodies: writers.bodies.row(() => {
      writeRow(writers.bodies, keyColumns, record);
      const [request, response] = [splitText(record.requestBody, searchMaxBytes), splitText(record.responseBody, searchMaxBytes)];
      writeRow(writers.bodies, bodiesColumns, { record, request, response });
    }),
    changes: changeRows(record.changes, writers.changes),
  };
}

function namesOf(columns: readonly Pick<Column<never>, 'name' | 'type'>[]): readonly string[] {
  return columns.map(({ name }) => name);
}

/** TRICKY: a sum beyond 2⁵³ of two numbers is not always that of the counts. */
export function exactTotal(usage: Usage): number | bigint | null {
  const total = totalTokens(usage);
  if (total === null || Number.isSafeInteger(total)) return total;
  return BigInt(usage.promptTokens ?? 0) + BigInt(usage.completionTokens ?? 0);
}

/** Those that were reported. What is no whole number is billed by nobody, and the column takes none. */
export function partsOf(usage: Usage): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  for (const name of partCounts) {
    const count = usage[name];
    if (count !== null && Number.isSafeInteger(count) && count >= 0) parts.set(name, count);
  }
  return parts;
}

/** The usage object as received; empty without one. */
export function usageText({ raw }: Usage): string {
  return raw === null ? '' : jsonText(raw);
}

/** TRICKY: `JSON.stringify` overflows the stack on nesting that `JSON.parse` still reads. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

/** A binary body stays whole: filters do not read it. */
function splitText(body: RecordedBody, maxBytes: number): SplitText {
  const text = bodyText(body);
  if (body.kind === 'binary' || text.length * maxBytesOfUnit <= maxBytes) return { head: text, rest: '' };
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { head: text, rest: '' };
  let end = maxBytes;
  // The bytes of one character stay together.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
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
