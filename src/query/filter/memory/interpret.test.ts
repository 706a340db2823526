import { describe, expect, test } from 'vitest';
import type { OrganizationId, RequestId } from '../../../model/ids.ts';
import { parseMoney } from '../../../model/pricing/money.ts';
import { legacyDialect } from '../../requests/query.ts';
import { matches } from './interpret.ts';
import { likeMatches, likePatternOf } from './texts/like.ts';
import { finished, Work } from './texts/work.ts';
import { parseFilter } from '../parse.ts';
import { type FilterRecord, sessionAggregatesOf } from '../record.ts';
import { emptyTextTags } from '../../../model/record/text-tags.ts';

const bare: FilterRecord = {
  organizationId: '0197b000-0000-7000-8000-00000000000a' as OrganizationId,
  requestId: '0197b000-0000-7000-8000-000000000001' as RequestId,
  createdAt: Date.UTC(2026, 0, 31),
  responseCreatedAt: null,
  keyHash: '',
  path: '',
  referrer: '',
  targetUrl: '',
  provider: 'OPENAI',
  countryCode: '',
  client: '',
  clientVersion: '',
  requestModel: '',
  responseModel: '',
  modelOverride: '',
  model: 'unknown',
  userId: '',
  sessionId: '',
  sessionName: '',
  ...emptyTextTags,
  traceId: '',
  spanId: '',
  promptId: '',
  responseId: '',
  cacheReferenceId: '',
  promptText: '',
  completionText: '',
  properties: new Map(),
  inputs: new Map(),
  assets: [],
  streamed: false,
  threat: null,
  cacheEnabled: false,
  cached: false,
  isPassthroughBilling: null,
  status: 200,
  failure: null,
  cost: null,
  requestBody: { kind: 'absent' },
  responseBody: { kind: 'absent' },
  latencyMs: null,
  timeToFirstByteMs: null,
  timeToFirstTokenMs: null,
  usage: { promptTokens: null, completionTokens: null, promptCacheReadTokens: null, promptCacheWriteTokens: null },
  scores: new Map(),
  feedback: null,
};

function isMatch(filter: unknown, said: Partial<FilterRecord>, others?: readonly Partial<FilterRecord>[]): boolean {
  const parsed = parseFilter(filter, legacyDialect);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const record = { ...bare, ...said };
  const session = others === undefined ? undefined : sessionAggregatesOf([record, ...others.map((other) => ({ ...bare, ...other }))]);
  return matches(parsed.value.filter, record, session);
}

const isLike = (text: string, pattern: string): boolean => finished(likeMatches(text, likePatternOf(pattern), new Work()));
const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const ofSession = (field: string, operators: unknown): unknown => ({ sessions_request_response_rmt: { [field]: operators } });
const map = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(entries));

type Case = readonly [field: string, operators: unknown, said: Partial<FilterRecord>, expected: boolean];

describe('what is absent', () => {
  test.each<Case>([
    ['user_id', { equals: '' }, {}, true],
    ['user_id', { 'not-equals': '' }, {}, false],
    ['user_id', { 'not-equals': 'x' }, {}, true],
    ['user_id', { 'not-contains': 'x' }, {}, true],
    ['user_id', { 'not-contains': '' }, {}, false],
    ['user_id', { contains: '' }, {}, false],
    ['user_id', { like: '%' }, {}, false],
    ['user_id', { ilike: '' }, {}, false],
    ['properties', { Env: { like: '' } }, { properties: map({ Env: '' }) }, true],
    ['properties', { Env: { like: '%' } }, {}, false],
    ['properties', { Env: { equals: '' } }, {}, true],
    ['search_properties', { Env: { equals: '' } }, {}, false],
    ['search_properties', { Env: { equals: '' } }, { properties: map({ Env: '' }) }, true],
    ['latency', { 'not-equals': 1 }, {}, true],
    ['latency', { lt: 1 }, {}, false],
    ['scores', { q: { 'not-equals': 1 } }, {}, false],
    ['response_created_at', { gt: 0 }, {}, false],
    ['threat', { equals: false }, {}, false],
    ['svc-score-feedback', { equals: false }, {}, false],
    ['request_body', { equals: '' }, { requestBody: { kind: 'binary', base64: 'YQ==', contentType: '' } }, true],
  ])('%s %j', (field, operators, said, expected) => {
    expect(isMatch(rmt(field, operators), said)).toBe(expected);
  });
});

describe('values', () => {
  test.each<Case>([
    ['model', { equals: 'GPT' }, { model: 'gpt' }, false],
    ['model', { ilike: 'G_T%' }, { model: 'gpt-4o' }, true],
    ['model', { contains: 'ΟΔΟΣ' }, { model: 'eine οδος' }, true],
    ['model', { contains: 'ΟΔΟΣ' }, { model: 'ΟΔΟΣΑ' }, false],
    ['model', { contains: 'İ' }, { model: 'i' }, false],
    ['model', { contains: 'i' }, { model: 'İ' }, true],
    ['model', { 'not-contains': 'SS' }, { model: 'ß' }, true],
    ['request_id', { equals: '0197B000-0000-7000-8000-000000000001' }, {}, true],
    ['request_id', { like: '0197B%' }, {}, true],
    ['properties', { env: { equals: 'Prod' } }, { properties: map({ Env: 'Prod' }) }, false],
    ['properties', { 'Helicone-Session-Id': { equals: 's' } }, { properties: map({ 'Svc-Session-Id': 's' }) }, true],
    [
      'properties',
      { 'Helicone-Session-Id': { equals: 's' } },
      { properties: map({ 'Svc-Session-Id': 's', 'Helicone-Session-Id': 'own' }) },
      false,
    ],
    ['property_key', { equals: 'Helicone-Session-Id' }, { properties: map({ 'Svc-Session-Id': 's' }) }, true],
    ['property_key', { equals: 'toString' }, {}, false],
    [
      'scores_column',
      { equals: '{"1":0,"b":1e+21,"\uFFFD":2,"😀":3}' },
      {
        scores: new Map([
          ['😀', 3],
          ['b', 1e21],
          ['\uFFFD', 2],
          ['1', 0],
        ]),
      },
      true,
    ],
    ['scores_column', { equals: '{}' }, {}, true],
    ['scores_column', { equals: '' }, {}, false],
    ['assets', { equals: '["a/b"]' }, { assets: ['a/b'] }, true],
    ['assets', { contains: '[]' }, {}, true],
    ['cost', { equals: 0.3 }, { cost: parseMoney('0.3') ?? null }, true],
    ['cost', { lt: 0.1 + 0.2 }, { cost: parseMoney('0.3') ?? null }, true],
    ['cost', { gte: 1e-12 }, { cost: parseMoney('1e-12') ?? null }, true],
    ['cost', { gt: 9e-13 }, { cost: parseMoney('1e-12') ?? null }, true],
    ['cost', { lt: 1e300 }, { cost: parseMoney('1') ?? null }, true],
    ['latency', { equals: 2 ** 53 }, { latencyMs: 2n ** 53n + 1n }, false],
    ['latency', { gt: 2 ** 53 }, { latencyMs: 2n ** 53n + 1n }, true],
    ['total_tokens', { equals: 5 }, { usage: { ...bare.usage, promptTokens: 5 } }, true],
    ['request_created_at', { equals: '2026-01-31' }, {}, true],
    ['request_created_at', { lt: '2026-01-31T00:00:00.001Z' }, {}, true],
  ])('%s %j', (field, operators, said, expected) => {
    expect(isMatch(rmt(field, operators), said)).toBe(expected);
  });
});

describe('the session', () => {
  const older = { sessionId: 's', createdAt: bare.createdAt - 1, sessionName: 'older', properties: map({ Env: 'a', Old: 'o' }) };
  const same = { sessionId: 's', requestId: '0197b000-0000-7000-8000-000000000002' as RequestId, properties: map({ Env: 'b' }) };
  const own = { sessionId: 's', sessionName: 'own', cost: parseMoney('0.1') ?? null, properties: map({ Env: 'c' }) };
  const tokens = { ...bare.usage, promptTokens: 2n ** 64n - 1n };
  test.each<readonly [string, unknown, readonly Partial<FilterRecord>[], boolean]>([
    ['has the newest name that is not empty', ofSession('session_session_name', { equals: 'own' }), [older, same], true],
    ['has of each property the newest value', { session: { properties: { Env: { equals: 'b' } } } }, [older, same], true],
    ['has the properties of all', { session: { properties: { Old: { equals: 'o' } } } }, [older, same], true],
    ['counts', ofSession('session_total_requests', { equals: 3 }), [older, same], true],
    ['adds costs exactly', ofSession('session_total_cost', { equals: 0.3 }), [{ ...same, cost: parseMoney('0.2') ?? null }], true],
    [
      'adds beyond 64 bits',
      ofSession('session_total_tokens', { gt: 2 ** 64 }),
      [
        { ...older, usage: tokens },
        { ...same, usage: tokens },
      ],
      true,
    ],
    ['begins with its first request', ofSession('session_created_at', { lt: '2026-01-31' }), [older], true],
    ['has costs of zero when none is known', ofSession('session_total_tokens', { equals: 0 }), [older], true],
  ])('%s', (_, filter, others, expected) => {
    expect(isMatch(filter, own, others)).toBe(expected);
  });

  test('is absent without an identifier', () => {
    expect(isMatch(ofSession('session_total_requests', { 'not-equals': 1 }), {})).toBe(true);
    expect(isMatch(ofSession('session_total_requests', { equals: 1 }), {})).toBe(false);
    expect(isMatch(ofSession('session_session_name', { equals: '' }), {})).toBe(true);
  });

  test('has to be given where it is asked for', () => {
    expect(() => isMatch(ofSession('session_total_requests', { equals: 1 }), { sessionId: 's' })).toThrow(TypeError);
    expect(isMatch(ofSession('session_session_id', { equals: 's' }), { sessionId: 's' })).toBe(true);
    expect(() => sessionAggregatesOf([])).toThrow(TypeError);
  });
});

test.each<readonly [text: string, pattern: string, expected: boolean]>([
  ['', '', true],
  ['', '%', true],
  ['', '_', false],
  ['😀', '_', true],
  ['e\u0301', '_', false],
  ['a\nb', 'a_b', true],
  ['a%b', 'a\\%b', true],
  ['axb', 'a\\%b', false],
  ['a\\b', 'a\\\\b', true],
  ['a\\b', 'a\\b', true],
  ['aXbXc', '%X_', true],
  ['abcabc', 'abc%abc', true],
  ['abcab', 'abc%abc', false],
  ['ab', 'ab%b', false],
  ['😀a', '%_a', true],
  ['a😀', 'a%__', false],
  ['xaybz', '%a_b%', true],
  ['ab', '%a_%b', false],
])('%j like %j: %s', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});

test('a pattern of many wildcards takes no time to speak of', () => {
  const before = process.cpuUsage();
  expect(isLike('a'.repeat(200_000), `${'%a'.repeat(8_000)}%b`)).toBe(false);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});

test.each<readonly [string, string, boolean]>([
  ['equals', 'openai', true],
  ['equals', 'OpenAI', true],
  ['equals', 'azure', false],
  ['not-equals', 'openai', false],
  ['not-equals', 'azure', true],
  ['like', 'openai', false],
  ['like', 'OPENAI', true],
])('a provider is compared as a whole without its case, and by a pattern with it: %s %s', (operator, value, expected) => {
  expect(isMatch({ request_response_rmt: { provider: { [operator]: value } } }, { provider: 'OPENAI' })).toBe(expected);
});
