import { uuidToNumber } from '../../model/ids.ts';
import { moneyText } from '../../model/money.ts';
import type { RecordedBody, RequestRecord } from '../../model/request-record.ts';
import { totalTokens } from '../../model/usage.ts';

/** A value that JSON writes as it stands. */
type Cell = string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>;

/** One column of a table: its name and its cell of a record. */
interface Column {
  readonly name: string;
  readonly cell: (record: RequestRecord) => Cell;
}

const keyColumns: readonly Column[] = [
  { name: 'org_id', cell: ({ organizationId }) => uuidToNumber(organizationId).toString() },
  { name: 'created_at', cell: ({ createdAt }) => timeText(createdAt) },
  { name: 'request_id', cell: ({ requestId }) => uuidToNumber(requestId).toString() },
];

const requestColumns: readonly Column[] = [
  ...keyColumns,
  { name: 'response_created_at', cell: ({ responseCreatedAt }) => (responseCreatedAt === null ? null : timeText(responseCreatedAt)) },
  { name: 'key_hash', cell: ({ keyHash }) => keyHash },
  { name: 'method', cell: ({ method }) => method },
  { name: 'path', cell: ({ path }) => path },
  { name: 'referrer', cell: ({ referrer }) => referrer },
  { name: 'target_url', cell: ({ targetUrl }) => targetUrl },
  { name: 'provider', cell: ({ provider }) => provider },
  { name: 'country_code', cell: ({ countryCode }) => countryCode },
  { name: 'request_model', cell: ({ requestModel }) => requestModel },
  { name: 'response_model', cell: ({ responseModel }) => responseModel },
  { name: 'model_override', cell: ({ modelOverride }) => modelOverride },
  { name: 'model', cell: ({ model }) => model },
  { name: 'user_id', cell: ({ userId }) => userId },
  { name: 'session_id', cell: ({ sessionId }) => sessionId },
  { name: 'session_name', cell: ({ sessionName }) => sessionName },
  { name: 'session_path', cell: ({ sessionPath }) => sessionPath },
  { name: 'properties', cell: ({ properties }) => Object.fromEntries(properties) },
  { name: 'node_id', cell: ({ nodeId }) => nodeId },
  { name: 'job_id', cell: ({ jobId }) => jobId },
  { name: 'prompt_id', cell: ({ promptId }) => promptId },
  { name: 'prompt_version', cell: ({ promptVersion }) => promptVersion },
  { name: 'experiment_id', cell: ({ experimentId }) => experimentId },
  { name: 'inputs', cell: ({ inputs }) => Object.fromEntries(inputs) },
  { name: 'response_id', cell: ({ responseId }) => responseId },
  { name: 'status', cell: ({ status }) => status },
  { name: 'latency', cell: ({ latencyMs }) => latencyMs },
  { name: 'time_to_first_token', cell: ({ timeToFirstTokenMs }) => timeToFirstTokenMs },
  { name: 'gateway_overhead', cell: ({ gatewayOverheadMs }) => gatewayOverheadMs },
  { name: 'attempts', cell: ({ attempts }) => (attempts.length > 1 ? JSON.stringify(attempts) : '') },
  { name: 'prompt_tokens', cell: ({ usage }) => usage.promptTokens },
  { name: 'completion_tokens', cell: ({ usage }) => usage.completionTokens },
  { name: 'prompt_cache_read_tokens', cell: ({ usage }) => usage.promptCacheReadTokens },
  { name: 'prompt_cache_write_tokens', cell: ({ usage }) => usage.promptCacheWriteTokens },
  { name: 'prompt_audio_tokens', cell: ({ usage }) => usage.promptAudioTokens },
  { name: 'completion_audio_tokens', cell: ({ usage }) => usage.completionAudioTokens },
  { name: 'reasoning_tokens', cell: ({ usage }) => usage.reasoningTokens },
  { name: 'total_tokens', cell: ({ usage }) => totalTokens(usage) },
  { name: 'usage_estimated', cell: ({ usage }) => usage.estimated },
  { name: 'usage_raw', cell: ({ usage }) => (usage.raw === null ? '' : jsonText(usage.raw)) },
  { name: 'service_tier', cell: ({ serviceTier }) => serviceTier },
  { name: 'cost', cell: ({ cost }) => (cost === null ? null : moneyText(cost)) },
  { name: 'cost_source', cell: ({ costSource }) => costSource },
  { name: 'price_reference', cell: ({ priceReference }) => priceReference },
  { name: 'cache_enabled', cell: ({ cacheEnabled }) => cacheEnabled },
  { name: 'cached', cell: ({ cached }) => cached },
  { name: 'cache_reference_id', cell: ({ cacheReferenceId }) => cacheReferenceId },
  { name: 'threat', cell: ({ threat }) => threat },
  { name: 'is_passthrough_billing', cell: ({ isPassthroughBilling }) => isPassthroughBilling },
  { name: 'assets', cell: ({ assets }) => assets },
  { name: 'size_bytes', cell: ({ sizeBytes }) => sizeBytes },
  { name: 'request_body_cut', cell: ({ requestBodyCut }) => requestBodyCut },
  { name: 'response_body_cut', cell: ({ responseBodyCut }) => responseBodyCut },
  { name: 'storage_location', cell: () => 'clickhouse' },
];

const bodiesColumns: readonly Column[] = [
  ...keyColumns,
  { name: 'request_kind', cell: ({ requestBody }) => requestBody.kind },
  { name: 'request_body', cell: ({ requestBody }) => bodyText(requestBody) },
  { name: 'request_content_type', cell: ({ requestBody }) => (requestBody.kind === 'binary' ? requestBody.contentType : '') },
  { name: 'response_kind', cell: ({ responseBody }) => responseBody.kind },
  { name: 'response_body', cell: ({ responseBody }) => bodyText(responseBody) },
  { name: 'response_content_type', cell: ({ responseBody }) => (responseBody.kind === 'binary' ? responseBody.contentType : '') },
  { name: 'last_user_text', cell: ({ lastUserText }) => lastUserText },
  { name: 'completion_text', cell: ({ completionText }) => completionText },
];

/** A record's line for the table `requests`, as JSONEachRow. @param storedAt Unix milliseconds. */
export function requestRow(record: RequestRecord, storedAt: number): string {
  return writeRow(`{"updated_at":"${timeText(storedAt)}"`, requestColumns, record);
}

/** A record's line for the table `bodies`, as JSONEachRow. */
export function bodiesRow(record: RequestRecord): string {
  return writeRow(`{"prompt_text":${JSON.stringify(record.promptText)}`, bodiesColumns, record);
}

/**
 * Writes a row column by column behind its begin. An empty cell is left out: the table's default is the same, and most cells of most rows are
 * empty. TRICKY: one object of sixty keys for `JSON.stringify` took twelve times as long.
 */
function writeRow(begin: string, columns: readonly Column[], record: RequestRecord): string {
  let row = begin;
  for (const { name, cell } of columns) {
    const value = cell(record);
    if (value !== '' && value !== null) row += `,"${name}":${JSON.stringify(value)}`;
  }
  return `${row}}`;
}

/** TRICKY: Unix milliseconds as a calendar time, because the engine takes decimal seconds of few digits for a year. */
function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 23).replace('T', ' ');
}

/** TRICKY: `JSON.stringify` overflows the stack on nesting that `JSON.parse` still reads. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
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
