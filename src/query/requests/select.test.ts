import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestItem } from '../../contract/requests/item.ts';
import type { RequestQuery } from '../../contract/requests/query.ts';
import { type OrganizationId, type RequestId, timeOfUuid, uuidOfHex } from '../../model/ids.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Statement } from '../../sql/statement.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import type { Store } from '../../store/store.ts';
import { sql } from '../../sql/sql.ts';
import type { HintProbe } from '../hints/probe.ts';
import { longBodiesProbe, rangeProbe } from '../hints/hints.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import { planRequests, requestDialect, type RequestsPlan } from './query.ts';
import { type CreatedAtRow, requestKeyStatements, requestStatements } from '../request-detail/lookup.ts';
import { requestItem, requestItems } from './item.ts';
import type { BodiesRow, RequestRow } from './columns.ts';
import { bodiesStatements, pageStatements, requestsByIdStatement } from './select.ts';

const failedOnce = { provider: 'OPENAI', status: 500, ms: 5, error: 'reset' };
const answered = { provider: 'AZURE', status: 200, ms: 9 };
const otherTenant = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;
const full: RequestRecord = {
  ...empty,
  requestId: idAt(noon + 10, 2),
  createdAt: noon + 10,
  responseCreatedAt: noon + 1010,
  path: '/v1/chat/completions',
  referrer: 'https://a.example',
  targetUrl: 'https://api.openai.com',
  countryCode: 'DE',
  client: 'codex',
  clientVersion: '0.171.0',
  requestModel: 'gpt-4o',
  responseModel: 'gpt-4o-2024',
  modelOverride: 'mine',
  model: 'mine',
  userId: 'u-1',
  sessionId: 's-1',
  sessionName: 'trip',
  sessionPath: '/a/b',
  properties: new Map([
    ['__proto__', 'p'],
    ['Env', 'prod'],
  ]),
  nodeId: 'n',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  spanLinks: [],
  jobId: 'j',
  promptId: 'pid',
  promptVersion: '3',
  experimentId: 'e',
  inputs: new Map([['city', 'Köln']]),
  responseId: 'chatcmpl-1',
  status: 200,
  failure: { kind: 'reply', type: 'overloaded_error', message: 'Overloaded' },
  latencyMs: 1000,
  timeToFirstByteMs: 90,
  timeToFirstTokenMs: 120,
  streamed: true,
  gatewayOverheadMs: 0.25,
  attempts: [failedOnce, answered],
  usage: { ...unreportedUsage, promptTokens: 5, completionTokens: 7, reasoningTokens: 2, raw: { prompt_tokens: 5 } },
  cost: moneyOfUsd(0.000123) ?? null,
  costSource: 'price-book',
  cacheEnabled: true,
  cached: true,
  cacheReferenceId: idAt(noon, 1),
  threat: false,
  isPassthroughBilling: true,
  assets: ['img'],
  requestBody: { kind: 'json', text: '{"messages":[1]}' },
  responseBody: { kind: 'text', text: 'data: broken' },
  lastUserText: 'ask',
  inputPreview: 'ask',
  outputPreview: 'answer',
  sizeBytes: 28,
};

/** Three that arrive in one millisecond, one with an identifier of another time, one with an identifier of a caller's own. */
const records: readonly RequestRecord[] = [
  empty,
  full,
  {
    ...empty,
    requestId: idAt(noon, 3),
    requestBody: { kind: 'json', text: '{"cut":' },
    responseBody: { kind: 'binary', base64: 'AAE=', contentType: 'image/png' },
  },
  { ...empty, requestId: idAt(noon, 4) },
  { ...empty, requestId: idAt(noon - 86_400_000, 5), createdAt: noon + 20 },
  { ...empty, requestId: uuidOfHex('f47ac10b58cc4372a5670e02b2c3d479'), createdAt: noon - 20, properties: new Map([['Env', 'test']]) },
];

let rig: QueryRig;
let store: Store;
beforeAll(async () => {
  rig = await openQueryRig();
  ({ store } = rig);
  await rig.insert([...records, ...records.map((record) => ({ ...record, organizationId: otherTenant }))], 'all');
});
afterAll(async () => rig.close());

function planOf(body: Partial<RequestQuery>): RequestsPlan {
  const plan = planRequests(tenant, { filter: {}, ...body }, requestDialect);
  if (!plan.ok) throw new Error(plan.fault.message);
  if (plan.value.kind !== 'page') throw new Error(plan.value.hint);
  return plan.value.plan;
}

const firstRows = (statements: readonly Statement[]): Promise<readonly RequestRow[]> => runUntilRows(store.run, statements);

/** Which of the records a page holds, by their number in the list. */
async function page(body: Partial<RequestQuery>): Promise<readonly number[]> {
  const rows = await firstRows(pageStatements(planOf(body)));
  return rows.map(({ id }) => records.findIndex(({ requestId }) => requestId === id));
}

const leaf = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const newestFirst = [4, 1, 3, 2, 0, 5];
const since = leaf('request_created_at', { gte: new Date(noon).toISOString() });
const until = leaf('request_created_at', { lt: new Date(noon + 20).toISOString() });
/** Of what is read of `bodies`, by the name of the page. */
const boundsOf: Readonly<Record<string, string | undefined>> = {
  'between two times': 'created_at >= T AND created_at < T',
  'of one identifier': 'created_at = T',
};

describe('a page', () => {
  test('is the newest ten by default, ties by identifier', async () => {
    expect(await page({})).toEqual(newestFirst);
  });

  test('runs the other way as a whole', async () => {
    expect(await page({ sort: { created_at: 'asc' } })).toEqual(newestFirst.toReversed());
  });

  test('pages meet without overlap', async () => {
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => page({ offset, limit: 2 })));
    expect(pages).toEqual([newestFirst.slice(0, 2), newestFirst.slice(2, 4), newestFirst.slice(4), []]);
  });

  test('of nothing is empty', async () => {
    expect(await page({ limit: 0 })).toEqual([]);
    expect(await page({ offset: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  test.each([
    ['isCached', { isCached: true }, [1]],
    ['isPartOfExperiment', { isPartOfExperiment: true }, [1]],
    ['isScored', { isScored: true }, []],
    ['flags that are false', { isCached: false, isPartOfExperiment: false, isScored: false }, newestFirst],
    ['a property', { filter: leaf('properties', { Env: { contains: 'T' } }) }, [5]],
    ['a body', { filter: leaf('request_body', { contains: 'MESSAGES' }) }, [1]],
  ])('keeps by %s', async (_, body, expected) => {
    expect(await page(body)).toEqual(expected);
  });

  test.each([
    ['an identifier with its own time', leaf('request_id', { equals: empty.requestId }), [0], 2],
    ['an identifier by its name of old', { request: { id: { equals: empty.requestId.toUpperCase() } } }, [0], 2],
    ['no identifier in a number of that name', { feedback: { id: { equals: 1 } } }, [], 1],
    ['an identifier with another time', leaf('request_id', { equals: idAt(noon - 86_400_000, 5) }), [4], 2],
    ["a caller's own identifier", leaf('request_id', { equals: 'F47AC10B-58CC-4372-A567-0E02B2C3D479' }), [5], 1],
    [
      'an identifier beside a condition that fails',
      { left: leaf('request_id', { equals: empty.requestId }), operator: 'and', right: leaf('status', { gt: 0 }) },
      [],
      2,
    ],
    [
      'an identifier that is one of two ways',
      { left: leaf('request_id', { equals: empty.requestId }), operator: 'or', right: leaf('status', { equals: 200 }) },
      [1, 0],
      1,
    ],
  ])('finds %s', async (_, filter, expected, statements) => {
    expect(await page({ filter })).toEqual(expected);
    expect(pageStatements(planOf({ filter }))).toHaveLength(statements);
  });

  test('is one SELECT over the tenant', () => {
    const [statement] = pageStatements(planOf({ filter: leaf('status', { gte: 500 }), includeInputs: true }));
    expect(statement?.text.replace(/^SELECT .*(?=, inputs)/, 'SELECT …')).toBe(
      'SELECT …, inputs FROM requests WHERE org_id = {tenant:UInt128} AND (status >= {p0:Float64}) ORDER BY created_at DESC, request_id DESC LIMIT {p1:UInt64} OFFSET {p2:UInt64}',
    );
    expect(statement?.params).toEqual({ p0: '500', p1: '10', p2: '0', tenant: BigInt(`0x${tenant.replaceAll('-', '')}`).toString() });
  });

  test.each([
    ['between two times', { left: since, operator: 'and', right: until }, [1, 3, 2, 0]],
    ['of one identifier', leaf('request_id', { equals: full.requestId }), [1]],
    ['of any time, under one of two ways', { left: since, operator: 'or', right: leaf('status', { gte: 0 }) }, [1, 4, 3, 2, 0, 5]],
  ])('in the order of a text of its bodies reads no bodies of other times: %s', async (name, filter, expected) => {
    const plan = { filter, sort: { request_prompt: 'asc' } };
    expect(await page(plan)).toEqual(expected);
    const [statement] = pageStatements(planOf(plan));
    const [, bounds] = /FROM bodies WHERE org_id = \{tenant:UInt128\}(?: AND \((.*?)\))?\) AS texts/.exec(statement?.text ?? '') ?? [];
    expect(bounds?.replaceAll(/fromUnixTimestamp64Milli\(\{p\d+:Int64\}, 'UTC'\)/g, 'T')).toBe(boundsOf[name]);
  });
});

describe('one request', () => {
  test.each(records.map((record, index) => [index, record.requestId] as const))('record %i is found by its identifier', async (_, id) => {
    const rows = await firstRows(requestStatements(tenant, id));
    expect(rows.map((row) => row.id)).toEqual([id]);
  });

  test.each(records.map((record, index) => [index, record] as const))(
    'record %i is placed by a read of its time alone',
    async (_, record) => {
      const statements = requestKeyStatements(tenant, record.requestId);
      expect(await runUntilRows<CreatedAtRow>(store.run, statements)).toEqual([{ created_ms: record.createdAt }]);
      for (const { text } of statements) expect(text).toMatch(/^SELECT \S+ AS created_ms FROM requests WHERE/);
    },
  );

  test('is not found for another organisation', async () => {
    expect(await firstRows(requestStatements('0197b000-0000-7000-8000-00000000000c' as OrganizationId, empty.requestId))).toEqual([]);
  });
});

async function items(body: Partial<RequestQuery>): Promise<readonly RequestItem[]> {
  const rows = await firstRows(pageStatements(planOf(body)));
  return requestItems(rows, await runUntilRows<BodiesRow>(store.run, bodiesStatements(tenant, rows)), ({ id }) => `/${id}`);
}

describe('an item', () => {
  test('of nobody needs no read of bodies', () => {
    expect(bodiesStatements(tenant, [])).toEqual([]);
  });

  test.each(['ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000'])(
    'under the identifier %s, whose time no record has, is not found',
    async (text) => {
      const id = text as RequestId;
      const byId = requestsByIdStatement(tenant, [id], 'own time');
      expect(byId === undefined ? undefined : await store.run(byId)).toEqual([]);
      expect(await runUntilRows(store.run, bodiesStatements(tenant, [{ id, created_ms: timeOfUuid(id) ?? 0 }]))).toEqual([]);
    },
  );

  test('has every key with its value', async () => {
    const [item] = await items({ filter: leaf('status', { equals: 200 }), includeInputs: true });
    expect(JSON.parse(JSON.stringify(item))).toEqual(fullItem);
    expect(JSON.stringify(item)).toContain('"properties":{"__proto__":"p","Env":"prod"}');
  });

  test('has every key and null where nothing is known', async () => {
    const [item] = await items({ filter: leaf('request_id', { equals: empty.requestId }) });
    expect(Object.keys(item ?? {}).toSorted()).toEqual(Object.keys(fullItem).toSorted());
    expect(Object.fromEntries(Object.entries(item ?? {}).filter(([, value]) => value !== null))).toEqual({
      request_id: empty.requestId,
      signed_body_url: `/${empty.requestId}`,
      organization_id: tenant,
      request_created_at: '2026-01-31T12:00:00.007Z',
      updated_at: '2026-01-31T12:00:05.007Z',
      size_bytes: 0,
      request_body_cut: false,
      response_body_cut: false,
      storage_location: 'clickhouse',
      request_user_id: '',
      request_properties: {},
      properties: {},
      provider: 'OPENAI',
      response_status: 0,
      streamed: false,
      model: 'unknown',
      usage_estimated: false,
      cost_source: 'none',
      cache_enabled: false,
      cached: false,
      scores: {},
      assets: [],
      asset_ids: [],
      ai_gateway_body_mapping: '',
    });
  });

  test('shows a cut JSON body as text, and a binary one in base64', async () => {
    const [item] = await items({ filter: leaf('request_id', { equals: idAt(noon, 3) }) });
    expect(item).toMatchObject({ request_body: '{"cut":', response_body: { base64: 'AAE=', content_type: 'image/png' } });
  });

  test('shows a long body whole, of which filters see the begin', async () => {
    const long = {
      ...empty,
      requestId: idAt(noon, 77),
      requestBody: { kind: 'text' as const, text: `begin ${'x'.repeat(1024 * 1024)} end` },
    };
    await rig.insert([long], 'long');
    const [item] = await items({ filter: leaf('request_body', { contains: 'begin x' }) });
    expect(item?.request_body).toBe(long.requestBody.text);
    expect(await items({ filter: leaf('request_body', { contains: 'x end' }) })).toEqual([]);
    const question = longBodiesProbe(planOf({ filter: leaf('request_body', { contains: 'x end' }) }));
    const rows = question === undefined ? [] : await store.run<Record<string, unknown>>(question.statement);
    expect(question?.messageFor(rows)).toContain('only the beginning of these was searched');
    expect(longBodiesProbe(planOf({ filter: leaf('status', { equals: 1 }) }))).toBeUndefined();
  });

  test('is told from when to when there are requests, where the time asked for has none', async () => {
    const early = { ...empty, requestId: idAt(noon - 86_400_000, 78), createdAt: noon - 86_400_000 };
    await rig.insert([early], 'early');
    let told: string | HintProbe | undefined = rangeProbe(tenant, [sql`created_at < fromUnixTimestamp64Milli(0, 'UTC')`]);
    while (typeof told === 'object') told = told.messageFor(await store.run<Record<string, unknown>>(told.statement));
    const [latest] = await items({ sort: { created_at: 'desc' }, limit: 1 });
    expect(told).toContain(`from ${new Date(noon - 86_400_000).toISOString()} to ${latest?.request_created_at}`);
  });

  test('takes whole numbers that the store quotes', async () => {
    const [row] = await firstRows(requestStatements(tenant, full.requestId));
    if (row === undefined) throw new Error('The record is there.');
    expect(requestItem({ ...row, prompt_tokens: '5', created_ms: String(row.created_ms) }, undefined)).toMatchObject({
      prompt_tokens: 5,
      request_body: null,
    });
  });
});

const fullItem = {
  request_id: full.requestId,
  organization_id: tenant,
  request_created_at: '2026-01-31T12:00:00.017Z',
  updated_at: '2026-01-31T12:00:05.007Z',
  size_bytes: 28,
  request_body_cut: false,
  response_body_cut: false,
  storage_location: 'clickhouse',
  request_path: '/v1/chat/completions',
  request_referrer: 'https://a.example',
  request_user_id: 'u-1',
  request_properties: JSON.parse('{"__proto__":"p","Env":"prod"}') as unknown,
  properties: JSON.parse('{"__proto__":"p","Env":"prod"}') as unknown,
  request_model: 'gpt-4o',
  model_override: 'mine',
  node_id: 'n',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: '00f067aa0ba902b7',
  job_id: 'j',
  provider: 'OPENAI',
  target_url: 'https://api.openai.com',
  country_code: 'DE',
  prompt_id: 'pid',
  prompt_version: '3',
  inputs: { city: 'Köln' },
  session_id: 's-1',
  session_name: 'trip',
  session_path: '/a/b',
  request_body: { messages: [1] },
  response_id: 'chatcmpl-1',
  response_created_at: '2026-01-31T12:00:01.017Z',
  response_status: 200,
  failure: { kind: 'reply', type: 'overloaded_error', message: 'Overloaded' },
  response_model: 'gpt-4o-2024',
  model: 'mine',
  delay_ms: 1000,
  latency: 1000,
  time_to_first_byte: 90,
  time_to_first_token: 120,
  streamed: true,
  client: 'codex',
  client_version: '0.171.0',
  input_preview: 'ask',
  output_preview: 'answer',
  gateway_overhead_ms: 0.25,
  attempts: [failedOnce, answered],
  response_body: 'data: broken',
  prompt_tokens: 5,
  completion_tokens: 7,
  total_tokens: 12,
  reasoning_tokens: 2,
  prompt_cache_read_tokens: null,
  prompt_cache_write_tokens: null,
  prompt_audio_tokens: null,
  completion_audio_tokens: null,
  usage_estimated: false,
  usage_raw: { prompt_tokens: 5 },
  cost: 0.000123,
  costUSD: 0.000123,
  cost_source: 'price-book',
  cache_enabled: true,
  cached: true,
  cache_reference_id: empty.requestId,
  scores: {},
  assets: ['img'],
  asset_ids: ['img'],
  asset_urls: null,
  threat: false,
  is_passthrough_billing: true,
  feedback_id: null,
  feedback_rating: null,
  feedback_created_at: null,
  helicone_user: null,
  signed_body_url: `/${full.requestId}`,
  llmSchema: null,
  ai_gateway_body_mapping: '',
};
