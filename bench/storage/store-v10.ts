import { type RequestId, uuidToNumber } from '../../src/model/ids.ts';
import type { RecordedBody, RequestRecord } from '../../src/model/record/request-record.ts';
import { exactTotal, partsOf, usageText } from '../../src/model/record/usage.ts';
import { escapeLike } from '../../src/sql/like.ts';
import type { Lane, Statement } from '../../src/sql/statement.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { type Column, column, dateTime, kinds, nullable, string, structureOf, uint128, writeRow } from '../../src/store/insert/column.ts';
import { joinedRows, RowWriter } from '../../src/store/insert/row-writer.ts';
import { makeRunStatement, type RunStatement } from '../../src/store/read/run-statement.ts';
import { tenant } from '../query/records.ts';
import { type Answer, newestRows, type OpenSide, type Question, searchRows, sessionRows, type Side } from './side.ts';

/**
 * The earlier store, frozen: the tables `requests` and `bodies` as steps 1 to 10 of the schema create them, the encoding of rows, and the
 * queries. `before.test.ts` compares the tables with the result of these steps.
 */

export const schemaV10 = [
  `CREATE TABLE IF NOT EXISTS requests (
    org_id UInt128,
    created_at DateTime64(3, 'UTC'),
    request_id UInt128,
    response_created_at Nullable(DateTime64(3, 'UTC')),
    updated_at DateTime64(3, 'UTC'),
    key_hash String,
    method LowCardinality(String),
    path String,
    referrer String,
    target_url String,
    provider LowCardinality(String),
    country_code LowCardinality(String),
    request_model LowCardinality(String),
    response_model LowCardinality(String),
    model_override LowCardinality(String),
    model LowCardinality(String),
    user_id String,
    session_id String,
    session_name String,
    session_path String,
    properties Map(String, String),
    node_id String,
    job_id String,
    prompt_id String,
    prompt_version String,
    experiment_id String,
    inputs Map(String, String),
    response_id String,
    status UInt16,
    latency Nullable(UInt64),
    time_to_first_token Nullable(UInt64),
    gateway_overhead Nullable(Float64),
    attempts String,
    prompt_tokens Nullable(UInt64),
    completion_tokens Nullable(UInt64),
    prompt_cache_read_tokens Nullable(UInt64),
    prompt_cache_write_tokens Nullable(UInt64),
    prompt_audio_tokens Nullable(UInt64),
    completion_audio_tokens Nullable(UInt64),
    reasoning_tokens Nullable(UInt64),
    total_tokens Nullable(UInt64),
    usage_estimated Bool,
    usage_raw String,
    service_tier LowCardinality(String),
    cost Nullable(Decimal(38, 12)),
    cost_source LowCardinality(String),
    price_reference LowCardinality(String),
    cache_enabled Bool,
    cached Bool,
    cache_reference_id String,
    threat Nullable(Bool),
    is_passthrough_billing Nullable(Bool),
    assets Array(String),
    scores Map(String, Float64),
    feedback_rating Nullable(Bool),
    feedback_created_at Nullable(DateTime64(3, 'UTC')),
    size_bytes UInt64,
    request_body_cut Bool,
    response_body_cut Bool,
    storage_location LowCardinality(String),
    feedback_number Nullable(UInt64),
    cache_created_at Nullable(DateTime64(3, 'UTC')),
    session_changes Array(UInt64),
    applied_price LowCardinality(String),
    usage_parts Map(LowCardinality(String), UInt64),
    aliased_names Bool,
    id_text String ALIAS UUIDNumToString(reverse(reinterpretAsFixedString(request_id))),
    org_text String ALIAS UUIDNumToString(reverse(reinterpretAsFixedString(org_id))),
    INDEX request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX property_names mapKeys(properties) TYPE bloom_filter GRANULARITY 1,
    INDEX property_values mapValues(properties) TYPE bloom_filter GRANULARITY 1,
    INDEX session_id_bloom session_id TYPE bloom_filter GRANULARITY 1,
    INDEX user_id_bloom user_id TYPE bloom_filter GRANULARITY 1
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(created_at)
  ORDER BY (org_id, created_at, request_id)
  SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1,
    cleanup_delay_period_random_add = 0, min_bytes_for_wide_part = 134217728, merge_selector_base = 10`,
  `CREATE TABLE IF NOT EXISTS bodies (
    org_id UInt128,
    created_at DateTime64(3, 'UTC'),
    request_id UInt128,
    request_kind LowCardinality(String),
    request_body String CODEC(ZSTD(1)),
    request_content_type LowCardinality(String),
    response_kind LowCardinality(String),
    response_body String CODEC(ZSTD(1)),
    response_content_type LowCardinality(String),
    prompt_text String CODEC(ZSTD(1)),
    last_user_text String CODEC(ZSTD(1)),
    completion_text String CODEC(ZSTD(1)),
    request_rest String CODEC(ZSTD(1)),
    response_rest String CODEC(ZSTD(1)),
    INDEX request_words lowerUTF8(request_body) TYPE text(tokenizer = splitByNonAlpha),
    INDEX response_words lowerUTF8(response_body) TYPE text(tokenizer = splitByNonAlpha),
    INDEX body_request_id_bloom request_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX request_is_long (request_rest != '') TYPE set(2) GRANULARITY 16,
    INDEX response_is_long (response_rest != '') TYPE set(2) GRANULARITY 16
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(created_at)
  ORDER BY (org_id, created_at, request_id)
  SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1,
    cleanup_delay_period_random_add = 0, min_bytes_for_wide_part = 134217728, merge_selector_base = 10`,
] as const;

/** Empty here. They exist because the engine inspects each table once a second, which takes a little CPU. */
const otherTables = ['changes', 'session_tags', 'session_changes', 'removals', 'schema_migrations'].map(
  (name) =>
    `CREATE TABLE ${name} (org_id UInt128, number UInt64) ENGINE = MergeTree ORDER BY (org_id, number)
  SETTINGS cleanup_delay_period = 1, max_cleanup_delay_period = 1, cleanup_delay_period_random_add = 0`,
);

const { text, time, uint16, uint64, float64, money, flag, texts, counts, numbers, textList, countList } = kinds;

const keyColumns: readonly Column<RequestRecord>[] = [
  column('org_id', uint128, ({ organizationId }) => organizationId),
  column('created_at', dateTime, ({ createdAt }) => createdAt),
  column('request_id', uint128, ({ requestId }) => requestId),
];

const requestColumns: readonly Column<RequestRecord>[] = [
  ...keyColumns,
  column('updated_at', dateTime, ({ createdAt }) => createdAt),
  column('response_created_at', nullable(time), ({ responseCreatedAt }) => responseCreatedAt),
  column('key_hash', text, ({ keyHash }) => keyHash),
  column('method', text, ({ method }) => method),
  column('path', text, ({ path }) => path),
  column('target_url', text, ({ targetUrl }) => targetUrl),
  column('provider', text, ({ provider }) => provider),
  column('request_model', text, ({ requestModel }) => requestModel),
  column('response_model', text, ({ responseModel }) => responseModel),
  column('model', text, ({ model }) => model),
  column('response_id', text, ({ responseId }) => responseId),
  column('status', uint16, ({ status }) => status),
  column('latency', nullable(uint64), ({ latencyMs }) => latencyMs),
  column('gateway_overhead', nullable(float64), ({ gatewayOverheadMs }) => gatewayOverheadMs),
  column('total_tokens', nullable(uint64), ({ usage }) => exactTotal(usage)),
  column('prompt_tokens', nullable(uint64), ({ usage }) => usage.promptTokens),
  column('completion_tokens', nullable(uint64), ({ usage }) => usage.completionTokens),
  column('usage_raw', text, ({ usage }) => usageText(usage)),
  column('cost', nullable(money), ({ cost }) => cost),
  column('cost_source', text, ({ costSource }) => costSource),
  column('price_reference', text, ({ priceReference }) => priceReference),
  column('applied_price', text, ({ appliedPrice }) => appliedPrice),
  column('size_bytes', uint64, ({ sizeBytes }) => sizeBytes),
  column('storage_location', text, () => 'clickhouse'),
  column('user_id', text, ({ userId }) => userId),
  column('properties', texts, ({ properties }) => properties),
  column('session_id', text, ({ sessionId }) => sessionId),
  column('session_name', text, ({ sessionName }) => sessionName),
  column('session_path', text, ({ sessionPath }) => sessionPath),
  column('time_to_first_token', nullable(uint64), ({ timeToFirstTokenMs }) => timeToFirstTokenMs),
  column('prompt_cache_read_tokens', nullable(uint64), ({ usage }) => usage.promptCacheReadTokens),
  column('reasoning_tokens', nullable(uint64), ({ usage }) => usage.reasoningTokens),
  column('usage_parts', counts, ({ usage }) => partsOf(usage)),
  column('service_tier', text, ({ serviceTier }) => serviceTier),
  column('referrer', text, ({ referrer }) => referrer),
  column('country_code', text, ({ countryCode }) => countryCode),
  column('model_override', text, ({ modelOverride }) => modelOverride),
  column('node_id', text, ({ nodeId }) => nodeId),
  column('job_id', text, ({ jobId }) => jobId),
  column('prompt_id', text, ({ promptId }) => promptId),
  column('prompt_version', text, ({ promptVersion }) => promptVersion),
  column('experiment_id', text, ({ experimentId }) => experimentId),
  column('inputs', texts, ({ inputs }) => inputs),
  column('attempts', text, ({ attempts }) => (attempts.length > 1 ? JSON.stringify(attempts) : '')),
  column('prompt_cache_write_tokens', nullable(uint64), ({ usage }) => usage.promptCacheWriteTokens),
  column('prompt_audio_tokens', nullable(uint64), ({ usage }) => usage.promptAudioTokens),
  column('completion_audio_tokens', nullable(uint64), ({ usage }) => usage.completionAudioTokens),
  column('usage_estimated', flag, ({ usage }) => usage.estimated),
  column('cache_enabled', flag, ({ cacheEnabled }) => cacheEnabled),
  column('cached', flag, ({ cached }) => cached),
  column('cache_reference_id', text, ({ cacheReferenceId }) => cacheReferenceId),
  column('cache_created_at', nullable(time), ({ cacheCreatedAt }) => cacheCreatedAt),
  column('threat', nullable(flag), ({ threat }) => threat),
  column('is_passthrough_billing', nullable(flag), ({ isPassthroughBilling }) => isPassthroughBilling),
  column('assets', textList, ({ assets }) => assets),
  column('scores', numbers, ({ scores }) => scores),
  column('feedback_number', nullable(uint64), ({ feedback }) => feedback?.number ?? null),
  column('feedback_rating', nullable(flag), ({ feedback }) => feedback?.rating ?? null),
  column('feedback_created_at', nullable(time), ({ feedback }) => feedback?.createdAt ?? null),
  column('request_body_cut', flag, ({ requestBodyCut }) => requestBodyCut),
  column('response_body_cut', flag, ({ responseBodyCut }) => responseBodyCut),
  column('aliased_names', flag, ({ aliasedNames }) => aliasedNames),
  column('session_changes', countList, ({ sessionChanges }) => sessionChanges),
];

/** No scenario has bodies over one mebibyte, so the columns for the rest of a body are empty. */
const bodiesColumns: readonly Column<RequestRecord>[] = [
  ...keyColumns,
  column('request_kind', string, ({ requestBody }) => requestBody.kind),
  column('request_body', string, ({ requestBody }) => textOf(requestBody)),
  column('response_kind', string, ({ responseBody }) => responseBody.kind),
  column('response_body', string, ({ responseBody }) => textOf(responseBody)),
  column('prompt_text', string, ({ promptText }) => promptText),
  column('last_user_text', string, ({ lastUserText }) => lastUserText),
  column('completion_text', string, ({ completionText }) => completionText),
  column('request_rest', string, () => ''),
  column('response_rest', string, () => ''),
  column('request_content_type', string, () => ''),
  column('response_content_type', string, () => ''),
];

const maxBodyBytes = 1024 * 1024;

function textOf(body: RecordedBody): string {
  if (body.kind === 'absent' || body.kind === 'binary') throw new Error('Scenarios have JSON bodies alone.');
  if (Buffer.byteLength(body.text) > maxBodyBytes) throw new Error('Scenarios have no body above a mebibyte.');
  return body.text;
}

const insertSettings = [
  'input_format_parallel_parsing = 0',
  'async_insert = 0',
  'max_block_size = 10000000',
  'max_insert_block_size = 10000000',
  'min_insert_block_size_rows = 10000000',
  'min_insert_block_size_bytes = 2147483648',
  'max_threads = 1',
  'max_insert_threads = 1',
  'input_format_null_as_default = 1',
  "deduplicate_insert_select = 'enable_even_for_bad_queries'",
  'use_hive_partitioning = 0',
].join(', ');

interface Insertion {
  readonly table: 'requests' | 'bodies';
  readonly columns: readonly Column<RequestRecord>[];
  readonly token: string;
}

async function insert(connections: Connections, records: readonly RequestRecord[], { table, columns, token }: Insertion): Promise<void> {
  const writer = new RowWriter();
  const rows = records.map((record) => writer.row(() => writeRow(writer, columns, record)));
  const names = columns.map(({ name }) => name).join(', ');
  await connections.rowFiles?.with(joinedRows(rows), async (file) => {
    const source = `file('${file}', RowBinary, '${structureOf(columns).replaceAll("'", "\\'")}')`;
    const query = `INSERT INTO ${table} (${names}) SETTINGS ${insertSettings}, insert_deduplication_token = '${token}-${table}' SELECT ${names} FROM ${source}`;
    await connections.run('insert', (client) => client.command({ query }));
  });
}

const rowColumns = `id_text AS id, org_text AS organization, toUnixTimestamp64Milli(created_at) AS created_ms,
  toUnixTimestamp64Milli(updated_at) AS updated_ms, toUnixTimestamp64Milli(response_created_at) AS response_created_ms, path,
  target_url, provider, request_model, response_model, model, response_id, status, latency, gateway_overhead, total_tokens,
  prompt_tokens, completion_tokens, usage_raw, toString(cost) AS cost_text, cost_source, size_bytes, storage_location, user_id,
  properties, session_id, session_name, session_path, time_to_first_token, prompt_cache_read_tokens, reasoning_tokens, referrer,
  country_code, model_override, node_id, job_id, prompt_id, prompt_version, attempts, prompt_cache_write_tokens,
  prompt_audio_tokens, completion_audio_tokens, usage_estimated, cache_enabled, cached, cache_reference_id, threat,
  is_passthrough_billing, assets, scores, feedback_number, feedback_rating,
  toUnixTimestamp64Milli(feedback_created_at) AS feedback_created_ms, request_body_cut, response_body_cut, aliased_names`;
const bodyColumns =
  'UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, concat(request_body, request_rest) AS request_text, request_content_type, response_kind, concat(response_body, response_rest) AS response_text, response_content_type';

interface Page {
  /** Comes after the condition on the organisation. */
  readonly where: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit: number;
  readonly lane: Lane;
}

function pageOf(question: Question): Page {
  switch (question.kind) {
    case 'newest':
      return { where: '', params: {}, limit: newestRows, lane: 'short' };
    case 'id': {
      const id = uuidToNumber(question.id);
      const ms = Number.parseInt(question.id.slice(0, 8) + question.id.slice(9, 13), 16);
      const where = " AND (request_id = {id:UInt128} AND created_at = fromUnixTimestamp64Milli({ms:Int64}, 'UTC'))";
      return { where, params: { id, ms }, limit: 1, lane: 'short' };
    }
    case 'search': {
      const longest = question.words.split(' ').toSorted((left, right) => right.length - left.length)[0] ?? '';
      const [pattern, word] = [`%${escapeLike(question.words)}%`, `%${longest}%`];
      const indexed = pattern === word ? '' : 'lowerUTF8(request_body) LIKE lowerUTF8({word:String}) AND ';
      const match = `(request_kind != 'binary' AND ${indexed}lowerUTF8(request_body) LIKE lowerUTF8({pattern:String}))`;
      const keys = `SELECT created_at, request_id FROM bodies WHERE org_id = {tenant:UInt128} AND (${match})`;
      const params = indexed === '' ? { pattern } : { pattern, word };
      return { where: ` AND ((created_at, request_id) IN (${keys}))`, params, limit: searchRows, lane: 'long' };
    }
    case 'session':
      return {
        where: ' AND (session_id = {session:String})',
        params: { session: question.sessionId },
        limit: sessionRows,
        lane: 'long',
      };
  }
}

async function ask(run: RunStatement, question: Question): Promise<Answer> {
  const { where, params, limit, lane } = pageOf(question);
  const order = 'ORDER BY created_at DESC, request_id DESC LIMIT {limit:UInt64} OFFSET {offset:UInt64}';
  const page = `SELECT ${rowColumns} FROM requests WHERE org_id = {tenant:UInt128}${where} ${order}`;
  const rows = await run<{ id: string; created_ms: number }>(statementOf(page, { ...params, limit, offset: 0 }, lane));
  const here = `created_at IN (SELECT fromUnixTimestamp64Milli(arrayJoin({times:Array(Int64)}), 'UTC')) AND request_id IN {ids:Array(UInt128)}`;
  const times = [...new Set(rows.map(({ created_ms: ms }) => ms))];
  const ids = rows.map(({ id }) => uuidToNumber(id as RequestId));
  const found = `SELECT ${bodyColumns} FROM bodies WHERE org_id = {tenant:UInt128} AND (${here})`;
  const bodies = rows.length === 0 ? [] : await run<unknown>(statementOf(found, { times, ids }, 'short'));
  return { ids: rows.map(({ id }) => id), characters: JSON.stringify({ rows, bodies }).length };
}

/** Other statements come from the builder, whose type this side cannot use. */
function statementOf(query: string, params: Readonly<Record<string, unknown>>, lane: Lane): Statement {
  const statement = { text: query, params: { ...params, tenant: uuidToNumber(tenant).toString() }, tenant, lane };
  return statement as unknown as Statement;
}

export async function insertV10(connections: Connections, records: readonly RequestRecord[], token: string): Promise<void> {
  await insert(connections, records, { table: 'bodies', columns: bodiesColumns, token });
  await insert(connections, records, { table: 'requests', columns: requestColumns, token });
}

export const before: Side = {
  name: 'before',
  open: async (connections): Promise<OpenSide> => {
    for (const query of [...schemaV10, ...otherTables]) await connections.run('insert', (client) => client.command({ query }));
    const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 32 });
    return {
      insert: (records, token) => insertV10(connections, records, token),
      ask: (question) => ask(run, question),
    };
  },
};
