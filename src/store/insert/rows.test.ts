import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { moneyOfUnits, moneyText, parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import { displayColumns } from '../../model/record/columns.ts';
import { mapTextTags, textTags } from '../../model/record/text-tags.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { makeInsertRows } from './insert.ts';
import { openStoreRig, type StoreRig, tenant } from '../testing/store-harness.ts';
import { numberRow } from './row-key.ts';
import { newRowWriters, rowsOf } from './rows.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

const nasty = 'é\n\t"\'\\ 日本 😀 \u0001 {x:String}';

const maximal: RequestRecord = {
  organizationId: tenant,
  requestId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' as RequestId,
  createdAt: 1_700_000_000_001,
  responseCreatedAt: 1_700_000_000_999,
  keyHash: 'h'.repeat(64),
  credentialHash: nasty,
  method: 'POST',
  path: `/v1/x?${nasty}`,
  referrer: nasty,
  targetUrl: nasty,
  provider: 'OPENAI',
  countryCode: 'DE',
  requestModel: nasty,
  responseModel: 'b',
  modelOverride: 'c',
  model: 'd',
  userId: nasty,
  sessionId: 'e',
  bodyGroup: 2n ** 64n - 1n,
  sessionName: nasty,
  sessionPath: '/f',
  aliasedNames: true,
  properties: new Map([
    ['a', nasty],
    [nasty, 'b'],
    ['__proto__', 'p'],
    ['constructor', 'c'],
    ['', 'empty name'],
    ['7', 'number'],
  ]),
  promptId: 'i',
  ...mapTextTags((name) => `the ${name}`),
  traceId: nasty,
  spanId: nasty,
  spanLinks: [nasty, ''],
  inputs: new Map([
    ['__proto__', 'p'],
    ['n', nasty],
  ]),
  responseId: nasty,
  status: 999,
  failure: { kind: 'reply', type: nasty, message: nasty },
  client: nasty,
  clientVersion: '1',
  timeToFirstByteMs: 2,
  streamed: true,
  latencyMs: 4_294_967_296,
  timeToFirstTokenMs: 1,
  gatewayOverheadMs: 0.125,
  attempts: [
    { provider: 'A', status: 500, ms: 3, error: nasty },
    { provider: 'B', status: 200, ms: 4 },
  ],
  usage: {
    ...unreportedUsage,
    promptTokens: Number.MAX_SAFE_INTEGER,
    completionTokens: 0,
    promptCacheReadTokens: 1,
    promptCacheWriteTokens: 2,
    promptAudioTokens: 3,
    completionAudioTokens: 4,
    reasoningTokens: 5,
    promptCacheWriteHourTokens: 6,
    audioSeconds: Number.MAX_SAFE_INTEGER,
    promptImageTokens: 0.5,
    estimated: true,
    raw: { nasty, nested: [1, null] },
  },
  serviceTier: 'flex',
  cost: parseMoney('99999999999999999999999999.999999999999') ?? zeroMoney,
  costSource: 'provider',
  priceReference: 'openai/x',
  appliedPrice: '{"table":"price-book","rates":{"input":"1"}}',
  cacheEnabled: true,
  cached: true,
  cacheReferenceId: 'l',
  cacheCreatedAt: 1_700_000_000_456,
  threat: false,
  isPassthroughBilling: true,
  assets: ['m', nasty],
  scores: new Map([
    ['__proto__', 0.1],
    [nasty, 5e-324],
    ['largest', Number.MAX_VALUE],
    ['third', 1 / 3],
  ]),
  feedback: { number: 1_700_000_000_123_456, rating: false, createdAt: 1_700_000_000_123 },
  changes: [],
  sessionChanges: [7, 2 ** 53 - 1],
  requestBody: { kind: 'json', text: JSON.stringify({ nasty }) },
  responseBody: { kind: 'binary', base64: 'AQID', contentType: 'image/png' },
  requestBodyCut: true,
  responseBodyCut: true,
  promptText: nasty,
  lastUserText: 'n',
  completionText: nasty,
  inputPreview: nasty,
  outputPreview: 'p',
  sizeBytes: 2 ** 40,
};

const minimal: RequestRecord = {
  ...maximal,
  organizationId: tenant,
  requestId: '00000000-0000-0000-0000-000000000000' as RequestId,
  createdAt: 0,
  responseCreatedAt: null,
  properties: new Map(),
  inputs: new Map(),
  status: 0,
  latencyMs: null,
  timeToFirstTokenMs: null,
  gatewayOverheadMs: null,
  attempts: [],
  usage: unreportedUsage,
  cost: null,
  costSource: 'none',
  threat: null,
  isPassthroughBilling: null,
  assets: [],
  scores: new Map(),
  feedback: null,
  requestBody: { kind: 'absent' },
  responseBody: { kind: 'text', text: nasty },
};

async function stored(
  record: RequestRecord,
  searchMaxBytes?: number,
): Promise<{ request: Record<string, unknown>; bodies: Record<string, unknown> }> {
  const insert = makeInsertRows(rig.connections);
  const rows = rowsOf(record, 1_700_000_001_234, { searchMaxBytes });
  numberRow(rows.request, 1_700_000_001_234_567);
  await insert('requests', [rows.request], `requests-${record.requestId}`);
  await insert('bodies', [rows.bodies], `bodies-${record.requestId}`);
  const id = `toUInt128('${BigInt(`0x${record.requestId.replaceAll('-', '')}`)}')`;
  const [request] = await rig.run<Record<string, unknown>>(
    `SELECT *, id_text, org_text, toString(cost) AS cost_text, toString(request_id) AS request_number, toString(org_id) AS org_number FROM requests WHERE request_id = ${id}`,
  );
  const [bodies] = await rig.run<Record<string, unknown>>(`SELECT * FROM bodies WHERE request_id = ${id}`);
  return { request: request ?? {}, bodies: bodies ?? {} };
}

test('every column of a maximal record comes back as it was', async () => {
  const { request, bodies } = await stored(maximal);
  const { usage } = maximal;
  expect(request).toEqual({
    org_id: expect.anything() as unknown,
    org_number: BigInt(`0x${tenant.replaceAll('-', '')}`).toString(),
    org_text: tenant,
    request_id: expect.anything() as unknown,
    request_number: (2n ** 128n - 1n).toString(),
    id_text: maximal.requestId,
    created_at: '2023-11-14 22:13:20.001',
    response_created_at: '2023-11-14 22:13:20.999',
    updated_at: '2023-11-14 22:13:21.234',
    key_hash: maximal.keyHash,
    credential_hash: nasty,
    method: 'POST',
    path: maximal.path,
    referrer: nasty,
    target_url: nasty,
    provider: 'OPENAI',
    country_code: 'DE',
    request_model: nasty,
    response_model: 'b',
    model_override: 'c',
    model: 'd',
    user_id: nasty,
    session_changes: [7, 2 ** 53 - 1],
    body_group: 2 ** 64,
    session_id: 'e',
    session_name: nasty,
    session_path: '/f',
    aliased_names: true,
    properties: Object.fromEntries(maximal.properties),
    prompt_id: 'i',
    ...Object.fromEntries(Object.entries(textTags).map(([header, name]) => [header.replaceAll('-', '_'), `the ${name}`])),
    inputs: Object.fromEntries(maximal.inputs),
    response_id: nasty,
    status: 999,
    failure_kind: 'reply',
    failure_type: nasty,
    failure_message: nasty,
    client: nasty,
    client_version: '1',
    time_to_first_byte: 2,
    streamed: true,
    latency: 4_294_967_296,
    time_to_first_token: 1,
    gateway_overhead: 0.125,
    attempts: JSON.stringify(maximal.attempts),
    prompt_tokens: usage.promptTokens,
    completion_tokens: 0,
    prompt_cache_read_tokens: 1,
    prompt_cache_write_tokens: 2,
    prompt_audio_tokens: 3,
    completion_audio_tokens: 4,
    reasoning_tokens: 5,
    total_tokens: Number.MAX_SAFE_INTEGER,
    usage_estimated: true,
    usage_raw: JSON.stringify(usage.raw),
    service_tier: 'flex',
    cost: expect.anything() as unknown,
    cost_text: moneyText(maximal.cost ?? zeroMoney),
    cost_source: 'provider',
    price_reference: 'openai/x',
    applied_price: maximal.appliedPrice,
    // What is no whole number stays in usage_raw alone.
    usage_parts: { promptCacheWriteHourTokens: 6, audioSeconds: Number.MAX_SAFE_INTEGER },
    cache_enabled: true,
    cached: true,
    cache_reference_id: 'l',
    threat: false,
    is_passthrough_billing: true,
    assets: ['m', nasty],
    scores: Object.fromEntries(maximal.scores),
    feedback_number: 1_700_000_000_123_456,
    feedback_rating: false,
    feedback_created_at: '2023-11-14 22:13:20.123',
    cache_created_at: '2023-11-14 22:13:20.456',
    size_bytes: 2 ** 40,
    request_body_cut: true,
    response_body_cut: true,
    storage_location: 'clickhouse',
    stored_number: 1_700_000_001_234_567,
    trace_id: nasty,
    span_id: nasty,
    span_links: [nasty, ''],
    input_preview: nasty,
    output_preview: 'p',
    display: expect.anything() as unknown,
  });
  const display = JSON.parse(String(request['display'])) as unknown[];
  expect(Object.fromEntries(displayColumns.map((name, index) => [name, display[index]]))).toEqual({
    ...Object.fromEntries(displayColumns.map((name) => [name, request[name]])),
    response_created_at: 1_700_000_000_999,
  });
  expect(Object.hasOwn(request['properties'] as object, '__proto__')).toBe(true);
  expect(bodies).toMatchObject({
    request_kind: 'json',
    request_body: JSON.stringify({ nasty }),
    request_content_type: '',
    response_kind: 'binary',
    response_body: 'AQID',
    response_content_type: 'image/png',
    body_group: 2 ** 64,
    prompt_spans: [[`{"nasty":"`.length + 1, Buffer.byteLength(JSON.stringify(nasty)) - 2]],
    prompt_text: '',
    last_user_spans: [],
    last_user_text: 'n',
    completion_spans: [],
    completion_text: nasty,
  });
});

test('what is not known comes back as null, and the first moment of time as itself', async () => {
  const { request, bodies } = await stored(minimal);
  expect(request).toMatchObject({
    created_at: '1970-01-01 00:00:00.000',
    id_text: minimal.requestId,
    response_created_at: null,
    latency: null,
    time_to_first_token: null,
    gateway_overhead: null,
    attempts: '',
    prompt_tokens: null,
    total_tokens: null,
    usage_raw: '',
    cost: null,
    threat: null,
    is_passthrough_billing: null,
    assets: [],
    scores: {},
    feedback_number: null,
    feedback_rating: null,
    feedback_created_at: null,
    properties: {},
  });
  expect(bodies).toMatchObject({ request_kind: 'absent', request_body: '', response_kind: 'text', response_body: nasty });
});

test.each([1, 999, 1000, 86_400_000, 999_999_999_999, 4_102_444_800_000])('the time %i is stored to the millisecond', async (createdAt) => {
  const record = {
    ...minimal,
    createdAt,
    requestId: `00000000-0000-4000-8000-${String(createdAt).padStart(12, '0').slice(-12)}` as RequestId,
  };
  const { request } = await stored(record);
  expect(Date.parse(`${String(request['created_at']).replace(' ', 'T')}Z`)).toBe(createdAt);
});

test('usage that is nested beyond the stack is left out, the rest is kept', async () => {
  let raw: unknown = [];
  for (let depth = 0; depth < 100_000; depth += 1) raw = [raw];
  const requestId = '22222222-2222-4222-8222-222222222222' as RequestId;
  const { request } = await stored({ ...minimal, requestId, usage: { ...unreportedUsage, promptTokens: 7, raw } });
  expect(request).toMatchObject({ id_text: requestId, prompt_tokens: 7, usage_raw: '' });
});

test('organisations keep apart under one identifier', async () => {
  const other = '00000000-0000-7000-8000-00000000000b' as OrganizationId;
  const requestId = '11111111-1111-4111-8111-111111111111' as RequestId;
  const insert = makeInsertRows(rig.connections);
  for (const organizationId of [tenant, other]) {
    await insert('requests', [rowsOf({ ...minimal, organizationId, requestId }, 0).request], `apart-${organizationId}`);
  }
  expect(await rig.run(`SELECT org_text FROM requests WHERE id_text = '${requestId}' ORDER BY org_id`)).toEqual([
    { org_text: tenant },
    { org_text: other },
  ]);
});

test('a long body is parted where a character begins, and nothing of it is lost', async () => {
  const text = 'aé😀b';
  const parts: unknown[] = [];
  for (let searchMaxBytes = 1; searchMaxBytes <= 8; searchMaxBytes += 1) {
    const requestId = `33333333-3333-4333-8333-${String(searchMaxBytes).padStart(12, '0')}` as RequestId;
    const { bodies } = await stored({ ...minimal, requestId, requestBody: { kind: 'text', text } }, searchMaxBytes);
    parts.push([bodies['request_body'], bodies['request_rest']]);
  }
  expect(parts).toEqual([
    ['a', 'é😀b'],
    ['a', 'é😀b'],
    ['aé', '😀b'],
    ['aé', '😀b'],
    ['aé', '😀b'],
    ['aé', '😀b'],
    ['aé😀', 'b'],
    [text, ''],
  ]);
});

test.each([
  ['status', { status: 70_000 }],
  ['status', { status: 1.5 }],
  ['prompt_audio_tokens', { usage: { ...unreportedUsage, promptAudioTokens: -1 } }],
  ['latency', { latencyMs: 0.5 }],
  ['latency', { latencyMs: 2 ** 64 }],
  ['latency', { latencyMs: Number.NaN }],
  ['created_at', { createdAt: Number.NaN }],
  ['created_at', { createdAt: 10_413_792_000_000 }],
  ['response_created_at', { responseCreatedAt: -2_208_988_800_001 }],
  ['cost', { cost: moneyOfUnits(10n ** 38n) }],
  ['cost', { cost: moneyOfUnits(-(10n ** 38n)) }],
  ['gateway_overhead', { gatewayOverheadMs: Number.NaN }],
  ['scores', { scores: new Map([['a', Number.POSITIVE_INFINITY]]) }],
  ['org_id', { organizationId: '0000000x-0000-7000-8000-00000000000a' as OrganizationId }],
  ['request_id', { requestId: '00000000-0000-7000-8000-00000000000a0' as RequestId }],
])('a value that %s does not hold is an error that names it, and nothing of its row is written', (name, wrong) => {
  const writers = newRowWriters();
  expect(() => rowsOf({ ...minimal, ...wrong }, 0, { writers })).toThrow(new RegExp(`^${name}: `));
  const after = rowsOf(minimal, 0, { writers });
  expect([after.request, after.bodies]).toEqual([rowsOf(minimal, 0).request, rowsOf(minimal, 0).bodies]);
  expect(after.request.byteOffset).toBe(0);
});

let counts = 0;
test.each([2 ** 53, 2 ** 53 + 2, 2 ** 60, 2 ** 64 - 2 ** 11])('a count of %i is stored as that', async (promptTokens) => {
  counts += 1;
  const requestId = `44444444-4444-4444-8444-${String(counts).padStart(12, '0')}` as RequestId;
  await stored({ ...minimal, requestId, usage: { ...unreportedUsage, promptTokens } });
  expect(await rig.run(`SELECT toString(prompt_tokens) AS count FROM requests WHERE id_text = '${requestId}'`)).toEqual([
    { count: BigInt(promptTokens).toString() },
  ]);
});
