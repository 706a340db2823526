import { uuidToNumber } from '../../model/ids.ts';
import { moneyText } from '../../model/money.ts';
import type { RecordedBody, RequestRecord } from '../../model/request-record.ts';
import { partCounts, totalTokens, type Usage } from '../../model/usage.ts';
import { defaultSearchMaxBytes } from '../../model/vocabulary/limits.ts';
import { changeColumns, changeLines } from './change-lines.ts';
import { timeText } from './time-text.ts';

/** The tables of the record: what is narrow and may change, the texts, which may not, and the history of what changed. */
export type RecordTable = 'requests' | 'bodies' | 'changes';

/** A value that JSON writes as it stands. Null stands for the column's default too: the empty text of a column that has no null. */
type Cell = string | number | boolean | null | readonly string[] | readonly number[] | Readonly<Record<string, string | number>>;

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

/** One column of a table: its name and its cell of what is written. */
interface Column<Source> {
  readonly name: string;
  readonly cell: (source: Source) => Cell;
}

const keyColumns = ['org_id', 'created_at', 'request_id'] as const;

/** Those that few records have stand last: see {@link lineOf}. */
const requestColumns: readonly Column<RequestRecord>[] = [
  { name: 'response_created_at', cell: ({ responseCreatedAt }) => (responseCreatedAt === null ? null : timeText(responseCreatedAt)) },
  { name: 'key_hash', cell: ({ keyHash }) => keyHash },
  { name: 'method', cell: ({ method }) => method },
  { name: 'path', cell: ({ path }) => path },
  { name: 'target_url', cell: ({ targetUrl }) => targetUrl },
  { name: 'provider', cell: ({ provider }) => provider },
  { name: 'request_model', cell: ({ requestModel }) => requestModel },
  { name: 'response_model', cell: ({ responseModel }) => responseModel },
  { name: 'model', cell: ({ model }) => model },
  { name: 'response_id', cell: ({ responseId }) => responseId },
  { name: 'status', cell: ({ status }) => status },
  { name: 'latency', cell: ({ latencyMs }) => latencyMs },
  { name: 'gateway_overhead', cell: ({ gatewayOverheadMs }) => gatewayOverheadMs },
  { name: 'total_tokens', cell: ({ usage }) => totalTokens(usage) },
  { name: 'prompt_tokens', cell: ({ usage }) => usage.promptTokens },
  { name: 'completion_tokens', cell: ({ usage }) => usage.completionTokens },
  { name: 'usage_raw', cell: ({ usage }) => (usage.raw === null ? '' : jsonText(usage.raw)) },
  { name: 'cost', cell: ({ cost }) => (cost === null ? null : moneyText(cost)) },
  { name: 'cost_source', cell: ({ costSource }) => costSource },
  { name: 'price_reference', cell: ({ priceReference }) => priceReference },
  { name: 'applied_price', cell: ({ appliedPrice }) => appliedPrice },
  { name: 'size_bytes', cell: ({ sizeBytes }) => sizeBytes },
  { name: 'storage_location', cell: () => 'clickhouse' },
  { name: 'user_id', cell: ({ userId }) => userId },
  { name: 'properties', cell: ({ properties }) => Object.fromEntries(properties) },
  { name: 'session_id', cell: ({ sessionId }) => sessionId },
  { name: 'session_name', cell: ({ sessionName }) => sessionName },
  { name: 'session_path', cell: ({ sessionPath }) => sessionPath },
  { name: 'time_to_first_token', cell: ({ timeToFirstTokenMs }) => timeToFirstTokenMs },
  { name: 'prompt_cache_read_tokens', cell: ({ usage }) => usage.promptCacheReadTokens },
  { name: 'reasoning_tokens', cell: ({ usage }) => usage.reasoningTokens },
  { name: 'usage_parts', cell: ({ usage }) => partsOf(usage) },
  { name: 'service_tier', cell: ({ serviceTier }) => serviceTier },
  { name: 'referrer', cell: ({ referrer }) => referrer },
  { name: 'country_code', cell: ({ countryCode }) => countryCode },
  { name: 'model_override', cell: ({ modelOverride }) => modelOverride },
  { name: 'node_id', cell: ({ nodeId }) => nodeId },
  { name: 'job_id', cell: ({ jobId }) => jobId },
  { name: 'prompt_id', cell: ({ promptId }) => promptId },
  { name: 'prompt_version', cell: ({ promptVersion }) => promptVersion },
  { name: 'experiment_id', cell: ({ experimentId }) => experimentId },
  { name: 'inputs', cell: ({ inputs }) => Object.fromEntries(inputs) },
  { name: 'attempts', cell: ({ attempts }) => (attempts.length > 1 ? JSON.stringify(attempts) : '') },
  { name: 'prompt_cache_write_tokens', cell: ({ usage }) => usage.promptCacheWriteTokens },
  { name: 'prompt_audio_tokens', cell: ({ usage }) => usage.promptAudioTokens },
  { name: 'completion_audio_tokens', cell: ({ usage }) => usage.completionAudioTokens },
  { name: 'usage_estimated', cell: ({ usage }) => (usage.estimated ? true : null) },
  { name: 'cache_enabled', cell: ({ cacheEnabled }) => (cacheEnabled ? true : null) },
  { name: 'cached', cell: ({ cached }) => (cached ? true : null) },
  { name: 'cache_reference_id', cell: ({ cacheReferenceId }) => cacheReferenceId },
  { name: 'cache_created_at', cell: ({ cacheCreatedAt }) => (cacheCreatedAt === null ? null : timeText(cacheCreatedAt)) },
  { name: 'threat', cell: ({ threat }) => threat },
  { name: 'is_passthrough_billing', cell: ({ isPassthroughBilling }) => isPassthroughBilling },
  { name: 'assets', cell: ({ assets }) => assets },
  { name: 'scores', cell: ({ scores }) => Object.fromEntries(scores) },
  { name: 'feedback_number', cell: ({ feedback }) => feedback?.number ?? null },
  { name: 'feedback_rating', cell: ({ feedback }) => feedback?.rating ?? null },
  { name: 'feedback_created_at', cell: ({ feedback }) => (feedback === null ? null : timeText(feedback.createdAt)) },
  { name: 'request_body_cut', cell: ({ requestBodyCut }) => (requestBodyCut ? true : null) },
  { name: 'response_body_cut', cell: ({ responseBodyCut }) => (responseBodyCut ? true : null) },
  { name: 'session_changes', cell: ({ sessionChanges }) => sessionChanges },
];

const bodiesColumns: readonly Column<RecordTexts>[] = [
  { name: 'request_kind', cell: ({ record }) => record.requestBody.kind },
  { name: 'request_body', cell: ({ request }) => request.head },
  { name: 'response_kind', cell: ({ record }) => record.responseBody.kind },
  { name: 'response_body', cell: ({ response }) => response.head },
  { name: 'prompt_text', cell: ({ record }) => record.promptText },
  { name: 'last_user_text', cell: ({ record }) => record.lastUserText },
  { name: 'completion_text', cell: ({ record }) => record.completionText },
  { name: 'request_rest', cell: ({ request }) => request.rest },
  { name: 'response_rest', cell: ({ response }) => response.rest },
  { name: 'request_content_type', cell: ({ record }) => contentTypeOf(record.requestBody) },
  { name: 'response_content_type', cell: ({ record }) => contentTypeOf(record.responseBody) },
];

/** The columns of a row of each table, in the order of its cells. */
export const rowColumns: Readonly<Record<RecordTable, readonly string[]>> = {
  requests: [...keyColumns, 'updated_at', ...requestColumns.map(({ name }) => name)],
  bodies: [...keyColumns, ...bodiesColumns.map(({ name }) => name)],
  changes: changeColumns,
};

/**
 * A record's lines for each table, as JSONCompactEachRow with the columns of `rowColumns`, those at the end left out where they hold nothing: one of `requests`, one of `bodies`, and of `changes`
 * as many as it has history, usually none.
 */
export interface RecordRows {
  readonly request: string;
  readonly bodies: string;
  readonly changes: string;
}

/**
 * Writes a record for its tables. @param storedAt Unix milliseconds. @param searchMaxBytes bytes of a body's text that filters look at.
 * TRICKY: `JSON.stringify` of one array takes a quarter of the time of a text put together cell by cell, and an object of sixty keys took
 * fifty times as long.
 */
export function rowsOf(record: RequestRecord, storedAt: number, searchMaxBytes: number = defaultSearchMaxBytes): RecordRows {
  const key = [uuidToNumber(record.organizationId).toString(), timeText(record.createdAt), uuidToNumber(record.requestId).toString()];
  const request: Cell[] = [...key, timeText(storedAt)];
  for (const { cell } of requestColumns) request.push(cell(record));
  const bodies: Cell[] = [...key];
  const [requestText, responseText] = [record.requestBody, record.responseBody].map((body) => splitText(body, searchMaxBytes));
  const texts = { record, request: requestText ?? noText, response: responseText ?? noText };
  for (const { cell } of bodiesColumns) bodies.push(cell(texts));
  return { request: lineOf(request), bodies: lineOf(bodies), changes: changeLines(record.changes) };
}

/**
 * A line without the cells at its end that hold nothing: the engine takes a column that is missing there for its default, without reading it. Of the
 * sixty columns of a usual request half are such. A false or a zero is a value, as some columns may also be null.
 */
function lineOf(cells: Cell[]): string {
  while (isNothing(cells.at(-1))) cells.pop();
  return JSON.stringify(cells);
}

function isNothing(cell: Cell | undefined): boolean {
  return cell === null || cell === '' || (typeof cell === 'object' && Object.keys(cell).length === 0);
}

/** Those that were reported. What is no whole number is billed by nobody, and the column takes none. */
function partsOf(usage: Usage): Readonly<Record<string, number>> {
  const parts: Record<string, number> = {};
  for (const name of partCounts) {
    const count = usage[name];
    if (count !== null && Number.isSafeInteger(count) && count >= 0) parts[name] = count;
  }
  return parts;
}

/** TRICKY: `JSON.stringify` overflows the stack on nesting that `JSON.parse` still reads. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

const noText: SplitText = { head: '', rest: '' };
/** A UTF-16 unit becomes at most so many bytes of UTF-8. */
const mostBytesOfUnit = 3;

/** A binary body stays whole: filters do not read it. */
function splitText(body: RecordedBody, mostBytes: number): SplitText {
  const text = bodyText(body);
  if (body.kind === 'binary' || text.length * mostBytesOfUnit <= mostBytes) return { head: text, rest: '' };
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return { head: text, rest: '' };
  let end = mostBytes;
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
