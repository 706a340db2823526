import type { Money } from '../pricing/money.ts';
import type { RequestRecord } from './request-record.ts';
import { exactTotal, partsOf, usageText } from './usage.ts';

/** Column types, each with the type of its values in a record. */
export interface ColumnValues {
  text: string;
  /** Unix milliseconds. */
  time: number;
  uint16: number;
  uint64: number | bigint;
  float64: number;
  money: Money;
  flag: boolean;
  texts: ReadonlyMap<string, string>;
  counts: ReadonlyMap<string, number>;
  numbers: ReadonlyMap<string, number>;
  textList: readonly string[];
  countList: readonly number[];
}

export type ColumnType = keyof ColumnValues;

export interface ColumnDefinition<
  Type extends ColumnType = ColumnType,
  Nullable extends boolean = boolean,
  Use extends ColumnUse = ColumnUse,
> {
  readonly type: Type;
  readonly nullable: Nullable;
  /** Null is "not known"; an absent text is empty instead. */
  readonly value: (record: RequestRecord) => ColumnValues[Type] | null;
  readonly use: Use;
}

/** `stored`: no page reads it. `read`: a page reads it and derives fields from it. Else: a page shows it as this field. */
export type ColumnUse = 'stored' | 'read' | ItemField;

/** A field of an API item that shows a column unchanged. */
export interface ItemField<Name extends string = string, Empty extends null | '' = null | ''> {
  readonly name: Name;
  /** One sentence for the OpenAPI document. */
  readonly description: string;
  /** How an empty text is shown. */
  readonly empty: Empty;
}

function column<Type extends ColumnType, Use extends ColumnUse>(
  type: Type,
  value: (record: RequestRecord) => ColumnValues[Type],
  use: Use,
): ColumnDefinition<Type, false, Use> {
  return { type, nullable: false, value, use };
}

function nullable<Type extends ColumnType, Use extends ColumnUse>(
  type: Type,
  value: (record: RequestRecord) => ColumnValues[Type] | null,
  use: Use,
): ColumnDefinition<Type, true, Use> {
  return { type, nullable: true, value, use };
}

function text<Use extends ColumnUse>(value: (record: RequestRecord) => string, use: Use): ColumnDefinition<'text', false, Use> {
  return column('text', value, use);
}

function shown<Name extends string>(name: Name, description: string): ItemField<Name, null> {
  return { name, description, empty: null };
}

/** A field that shows an absent text as an empty one. */
function shownText<Name extends string>(name: Name, description: string): ItemField<Name, ''> {
  return { name, description, empty: '' };
}

/**
 * The columns of a request, in the order of a row; the key and the time of the last change precede them. Each column here determines its
 * place in the stored row, in the row that a page reads, and in the documented API item, and the filter of its name.
 */
export const requestColumns = {
  response_created_at: nullable(
    'time',
    ({ responseCreatedAt }) => responseCreatedAt,
    shown('response_created_at', 'When the response had ended.'),
  ),
  key_hash: text(({ keyHash }) => keyHash, 'stored'),
  method: text(({ method }) => method, 'stored'),
  path: text(({ path }) => path, shown('request_path', 'Path of the call.')),
  target_url: text(({ targetUrl }) => targetUrl, shown('target_url', 'Address that was called.')),
  provider: text(({ provider }) => provider, shownText('provider', 'Provider in upper case.')),
  request_model: text(({ requestModel }) => requestModel, shown('request_model', 'Model that the request names.')),
  response_model: text(({ responseModel }) => responseModel, shown('response_model', 'Model that the response names.')),
  model: text(({ model }) => model, shownText('model', "The override, else the response's, else the request's model, else `unknown`.")),
  response_id: text(({ responseId }) => responseId, shown('response_id', "The provider's identifier of its response.")),
  status: column(
    'uint16',
    ({ status }) => status,
    shown('response_status', 'HTTP status of the provider; 499 the client left, 502 the provider broke off, 0 no response.'),
  ),
  latency: nullable('uint64', ({ latencyMs }) => latencyMs, shown('latency', 'Milliseconds from the request to the end of the response.')),
  gateway_overhead: nullable(
    'float64',
    ({ gatewayOverheadMs }) => gatewayOverheadMs,
    shown(
      'gateway_overhead_ms',
      'Milliseconds that the gateway spent on the call before it went out, the wait for its body left out: also what `Server-Timing` on its reply says. Passing the reply on is not in it.',
    ),
  ),
  total_tokens: nullable('uint64', ({ usage }) => exactTotal(usage), shown('total_tokens', 'Input and output tokens together.')),
  prompt_tokens: nullable('uint64', ({ usage }) => usage.promptTokens, shown('prompt_tokens', 'All input tokens, cached ones included.')),
  completion_tokens: nullable(
    'uint64',
    ({ usage }) => usage.completionTokens,
    shown('completion_tokens', 'All output tokens, reasoning included.'),
  ),
  usage_raw: text(({ usage }) => usageText(usage), 'read'),
  cost: nullable('money', ({ cost }) => cost, 'read'),
  cost_source: text(({ costSource }) => costSource, 'read'),
  price_reference: text(({ priceReference }) => priceReference, 'stored'),
  applied_price: text(({ appliedPrice }) => appliedPrice, 'stored'),
  size_bytes: column('uint64', ({ sizeBytes }) => sizeBytes, shown('size_bytes', 'Bytes of both bodies as they passed.')),
  storage_location: text(() => 'clickhouse', 'read'),
  user_id: text(({ userId }) => userId, shownText('request_user_id', 'User of the application, empty when none was named.')),
  properties: column('texts', ({ properties }) => properties, 'read'),
  session_id: text(({ sessionId }) => sessionId, shown('session_id', 'Session that the request belongs to.')),
  session_name: text(({ sessionName }) => sessionName, shown('session_name', 'Name of the session.')),
  session_path: text(({ sessionPath }) => sessionPath, shown('session_path', 'Place of the request in its session.')),
  time_to_first_token: nullable(
    'uint64',
    ({ timeToFirstTokenMs }) => timeToFirstTokenMs,
    shown(
      'time_to_first_token',
      'Milliseconds from the request to the first piece of content of a stream: text, reasoning, arguments of a tool, audio or a picture; null for other responses.',
    ),
  ),
  prompt_cache_read_tokens: nullable(
    'uint64',
    ({ usage }) => usage.promptCacheReadTokens,
    shown('prompt_cache_read_tokens', 'Input tokens read from the cache of the provider.'),
  ),
  reasoning_tokens: nullable(
    'uint64',
    ({ usage }) => usage.reasoningTokens,
    shown('reasoning_tokens', 'Output tokens spent on reasoning.'),
  ),
  usage_parts: column('counts', ({ usage }) => partsOf(usage), 'stored'),
  service_tier: text(({ serviceTier }) => serviceTier, 'stored'),
  referrer: text(({ referrer }) => referrer, shown('request_referrer', 'Referer header of the call.')),
  country_code: text(({ countryCode }) => countryCode, shown('country_code', 'Country of the caller, ISO 3166 alpha-2.')),
  model_override: text(({ modelOverride }) => modelOverride, shown('model_override', 'Value of Svc-Model-Override.')),
  node_id: text(({ nodeId }) => nodeId, shown('node_id', 'Value of Svc-Node-Id.')),
  job_id: text(({ jobId }) => jobId, shown('job_id', 'Value of Svc-Job-Id.')),
  prompt_id: text(({ promptId }) => promptId, shown('prompt_id', 'Value of Svc-Prompt-Id.')),
  prompt_version: text(({ promptVersion }) => promptVersion, shown('prompt_version', 'Value of Svc-Prompt-Version.')),
  experiment_id: text(({ experimentId }) => experimentId, 'stored'),
  // Read only by queries that ask for inputs.
  inputs: column('texts', ({ inputs }) => inputs, 'stored'),
  attempts: text(({ attempts }) => (attempts.length > 1 ? JSON.stringify(attempts) : ''), 'read'),
  prompt_cache_write_tokens: nullable(
    'uint64',
    ({ usage }) => usage.promptCacheWriteTokens,
    shown('prompt_cache_write_tokens', 'Input tokens written to the cache of the provider.'),
  ),
  prompt_audio_tokens: nullable(
    'uint64',
    ({ usage }) => usage.promptAudioTokens,
    shown('prompt_audio_tokens', 'Audio tokens of the input.'),
  ),
  completion_audio_tokens: nullable(
    'uint64',
    ({ usage }) => usage.completionAudioTokens,
    shown('completion_audio_tokens', 'Audio tokens of the output.'),
  ),
  usage_estimated: column(
    'flag',
    ({ usage }) => usage.estimated,
    shown('usage_estimated', 'True when the counts are estimates, because the provider reported none.'),
  ),
  cache_enabled: column(
    'flag',
    ({ cacheEnabled }) => cacheEnabled,
    shown('cache_enabled', 'Whether the caller enabled the response cache.'),
  ),
  cached: column('flag', ({ cached }) => cached, shown('cached', 'Whether the answer came from the response cache.')),
  cache_reference_id: text(
    ({ cacheReferenceId }) => cacheReferenceId,
    shown('cache_reference_id', 'Identifier of the request whose answer was reused.'),
  ),
  cache_created_at: nullable('time', ({ cacheCreatedAt }) => cacheCreatedAt, 'stored'),
  threat: nullable('flag', ({ threat }) => threat, shown('threat', 'Whether the security check flagged the request.')),
  is_passthrough_billing: nullable(
    'flag',
    ({ isPassthroughBilling }) => isPassthroughBilling,
    shown('is_passthrough_billing', 'Whether the provider was paid through the gateway.'),
  ),
  assets: column('textList', ({ assets }) => assets, 'read'),
  scores: column('numbers', ({ scores }) => scores, shown('scores', 'Scores by name.')),
  feedback_number: nullable('uint64', ({ feedback }) => feedback?.number ?? null, 'read'),
  feedback_rating: nullable(
    'flag',
    ({ feedback }) => feedback?.rating ?? null,
    shown('feedback_rating', 'The feedback: true is good, false is bad.'),
  ),
  feedback_created_at: nullable(
    'time',
    ({ feedback }) => feedback?.createdAt ?? null,
    shown('feedback_created_at', 'When the feedback was given.'),
  ),
  request_body_cut: column(
    'flag',
    ({ requestBodyCut }) => requestBodyCut,
    shown('request_body_cut', 'True when less of the request body is recorded than passed.'),
  ),
  response_body_cut: column(
    'flag',
    ({ responseBodyCut }) => responseBodyCut,
    shown('response_body_cut', 'True when less of the response body is recorded than passed.'),
  ),
  aliased_names: column('flag', ({ aliasedNames }) => aliasedNames, 'read'),
  session_changes: column('countList', ({ sessionChanges }) => sessionChanges, 'stored'),
  trace_id: text(({ traceId }) => traceId, shown('trace_id', 'Trace of the call: of its `traceparent`, or of the span that told of it.')),
  span_id: text(({ spanId }) => spanId, shown('span_id', 'Span of the call: of its `traceparent`, or the one that told of it.')),
  span_links: column('textList', ({ spanLinks }) => spanLinks, 'stored'),
  body_group: column('uint64', ({ bodyGroup }) => bodyGroup, 'stored'),
  credential_hash: text(({ credentialHash }) => credentialHash, 'stored'),
  time_to_first_byte: nullable(
    'uint64',
    ({ timeToFirstByteMs }) => timeToFirstByteMs,
    shown('time_to_first_byte', 'Milliseconds from the request to the first byte of the response body.'),
  ),
  streamed: column('flag', ({ streamed }) => streamed, shown('streamed', 'Whether the response was an event stream.')),
  failure_kind: text(({ failure }) => failure?.kind ?? '', 'read'),
  failure_type: text(({ failure }) => failure?.type ?? '', 'read'),
  failure_message: text(({ failure }) => failure?.message ?? '', 'read'),
  client: text(
    ({ client }) => client,
    shown('client', 'Program that made the call, such as `claude-code` or `openai-node`, by its user agent.'),
  ),
  client_version: text(({ clientVersion }) => clientVersion, shown('client_version', 'Version of that program.')),
  input_preview: text(
    ({ inputPreview }) => inputPreview,
    shown(
      'input_preview',
      'Beginning of what the request says last, in one line of at most 200 characters: words of the user, or the result of a tool.',
    ),
  ),
  output_preview: text(
    ({ outputPreview }) => outputPreview,
    shown(
      'output_preview',
      'Beginning of the answer, in one line of at most 200 characters: its text, or the name and arguments of the first tool that it calls.',
    ),
  ),
} as const satisfies Readonly<Record<string, ColumnDefinition>>;

export type RequestColumns = typeof requestColumns;
export type ColumnName = keyof RequestColumns;

export type ItemColumn = { [Name in ColumnName]: RequestColumns[Name]['use'] extends ItemField ? Name : never }[ColumnName];

export type FieldOf<Name extends ItemColumn> = RequestColumns[Name]['use']['name'];

export const columnNames = Object.keys(requestColumns) as readonly ColumnName[];

/** Columns of a page that later changes may set. A usage that completes late sets others, and `display` with them. */
export const changeableColumns = [
  'cost',
  'cost_source',
  'properties',
  'session_id',
  'session_name',
  'session_path',
  'scores',
  'feedback_number',
  'feedback_rating',
  'feedback_created_at',
  // Texts that a span lacks may come later.
  'input_preview',
  'output_preview',
] as const satisfies readonly ColumnName[];

type ReadColumn = { [Name in ColumnName]: RequestColumns[Name]['use'] extends 'stored' ? never : Name }[ColumnName];
export type DisplayColumn = Exclude<ReadColumn, (typeof changeableColumns)[number]>;

/**
 * Columns that a page reads from the one column `display`, a JSON array of their values in this order: the engine takes about 0.1 ms per
 * column to plan a query. Stored rows have this order, so a new column comes last.
 */
export const displayColumns = columnNames.filter(
  (name): name is DisplayColumn => requestColumns[name].use !== 'stored' && !(changeableColumns as readonly ColumnName[]).includes(name),
);

export interface ItemUse {
  readonly name: ItemColumn;
  readonly type: RequestColumns[ItemColumn]['type'];
  readonly nullable: boolean;
  readonly field: ItemField;
}

export const itemColumns: readonly ItemUse[] = columnNames.flatMap((name) => {
  const { type, nullable: mayBeNull, use } = requestColumns[name];
  return typeof use === 'string' ? [] : [{ name: name as ItemColumn, type, nullable: mayBeNull, field: use }];
});
