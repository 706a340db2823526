import { beforeAll, describe, expect, test } from 'vitest';
import { uuidToNumber } from '../../model/ids.ts';
import { and, client, everyRow, idOf, namesFor, or, otherTenant, rmt, tenant } from './testing/compile-harness.ts';

type Case = readonly [field: string, operators: unknown, expected: string];

const session = (name: string, operators: unknown): unknown => ({ session: { properties: { [name]: operators } } });
const ofSession = (field: string, operators: unknown): unknown => ({ sessions_request_response_rmt: { [field]: operators } });

describe('the session of a request', () => {
  test.each<Case>([
    ['session_session_id', { equals: 's-1' }, 'full text'],
    ['session_session_id', { 'not-equals': 's-1' }, 'absent binary'],
    ['session_session_id', { equals: '' }, 'absent binary'],
    ['session_session_id', { ilike: 'S-%' }, 'full text'],
    ['session_session_name', { equals: 'newer' }, 'full text'],
    ['session_session_name', { equals: 'older' }, ''],
    ['session_session_name', { 'not-contains': 'old' }, everyRow],
    ['session_session_name', { 'not-equals': '' }, 'full text'],
    ['session_tag', { equals: '' }, everyRow],
    ['session_tag', { contains: '' }, ''],
    ['session_total_requests', { equals: 2 }, 'full text'],
    ['session_total_requests', { 'not-equals': 2 }, 'absent binary'],
    ['session_total_requests', { lt: 2 }, ''],
    ['session_total_cost', { gt: 0.3 }, 'full text'],
    ['session_total_cost', { equals: 0.300000000001 }, 'full text'],
    ['session_total_tokens', { gte: 12 }, 'full text'],
    ['session_prompt_tokens', { equals: 5 }, 'full text'],
    ['session_completion_tokens', { lt: 8 }, 'full text'],
    ['session_created_at', { equals: '2026-01-31T12:00:00.123Z' }, 'full text'],
    ['session_latest_request_created_at', { gt: '2026-02-01' }, 'full text'],
    ['session_latest_request_created_at', { lt: '2026-02-01' }, ''],
  ])('%s %j', async (field, operators, expected) => {
    expect(await namesFor(ofSession(field, operators))).toBe(expected);
  });

  test.each<Case>([
    ['Env', { equals: 'ПРИВЕТ' }, 'full text'],
    ['Env', { equals: 'Prod' }, ''],
    ['Env', { 'not-equals': 'Prod' }, everyRow],
    ['blank', { like: '%' }, 'full text'],
    ['blank', { equals: '' }, everyRow],
    ['nowhere', { like: '%' }, ''],
    ['Helicone-Session-Id', { equals: 's-2' }, 'full text'],
  ])('property %s %j', async (name, operators, expected) => {
    expect(await namesFor(session(name, operators))).toBe(expected);
  });

  test.each<readonly [string, unknown, string]>([
    ['both of the session', and(ofSession('session_total_requests', { equals: 2 }), session('Env', { contains: 'ПРИВ' })), 'full text'],
    [
      'patterns of the session and of the request',
      or(session('Env', { like: 'ПР%' }), ofSession('session_session_name', { ilike: 'x%' })),
      'full text',
    ],
    ['one of the session or of the request', or(ofSession('session_total_cost', { gt: 1 }), rmt('status', { equals: 0 })), 'absent'],
    ['of the session and of the request', and(ofSession('session_total_requests', { gte: 2 }), rmt('status', { equals: 200 })), 'full'],
    [
      'both for those without one',
      and(ofSession('session_total_requests', { 'not-equals': 2 }), ofSession('session_tag', { equals: '' })),
      'absent binary',
    ],
  ])('%s', async (_, filter, expected) => {
    expect(await namesFor(filter)).toBe(expected);
  });
});

describe('the tag of a session', () => {
  beforeAll(async () => {
    const rows = [
      { org_id: tenant, session_id: 's-1', number: 1, tag: 'older' },
      { org_id: tenant, session_id: 's-1', number: 2, tag: 'Vip 100%' },
      { org_id: tenant, session_id: 'gone', number: 1, tag: 'x' },
      { org_id: tenant, session_id: 'gone', number: 2, tag: '' },
      { org_id: otherTenant, session_id: 's-1', number: 9, tag: 'theirs' },
    ];
    const values = rows.map((row) => ({ ...row, org_id: String(uuidToNumber(row.org_id)) }));
    await client.insert({ table: 'session_tags', values, format: 'JSONEachRow' });
  });

  test.each<readonly [unknown, string]>([
    [{ equals: 'Vip 100%' }, 'full text'],
    [{ equals: 'vip 100%' }, ''],
    [{ equals: 'older' }, ''],
    [{ equals: 'theirs' }, ''],
    [{ equals: '' }, 'absent binary'],
    [{ 'not-equals': 'Vip 100%' }, 'absent binary'],
    [{ 'not-equals': 'other' }, everyRow],
    [{ 'not-equals': '' }, 'full text'],
    [{ like: 'Vip%' }, 'full text'],
    [{ like: 'vip%' }, ''],
    [{ like: '%' }, 'full text'],
    [{ ilike: 'VIP%' }, 'full text'],
    [{ contains: '0%' }, 'full text'],
    [{ contains: '' }, 'full text'],
    [{ 'not-contains': 'VIP' }, 'absent binary'],
    [{ 'not-contains': 'other' }, everyRow],
    [{ 'not-contains': '' }, ''],
  ])('%j', async (operators, expected) => {
    expect(await namesFor(ofSession('session_tag', operators))).toBe(expected);
  });

  test('beside another condition', async () => {
    const tagged = ofSession('session_tag', { equals: 'Vip 100%' });
    expect(await namesFor(or(tagged, rmt('status', { equals: 0 })))).toBe('full absent text');
    expect(await namesFor(and(tagged, ofSession('session_total_requests', { equals: 2 })))).toBe('full text');
  });
});

describe('the legacy names', () => {
  test.each<readonly [string, string, unknown, string]>([
    ['request', 'id', { equals: idOf(2) }, 'absent'],
    ['request', 'org_id', { equals: tenant }, everyRow],
    ['request', 'model', { equals: 'asked' }, 'full'],
    ['request', 'modelOverride', { equals: 'gpt-4o' }, 'full'],
    ['request', 'path', { like: '/v1/chat%' }, 'full'],
    ['request', 'auth_hash', { equals: 'abc' }, 'full'],
    ['request', 'prompt', { contains: 'SAY HELLO' }, 'full'],
    ['request', 'prompt', { equals: '' }, 'absent binary text'],
    ['request', 'prompt', { 'not-contains': 'hello' }, 'absent binary text'],
    ['request', 'prompt', { 'not-equals': '' }, 'full'],
    ['request', 'created_at', { gt: '2026-02-01' }, 'binary text'],
    ['request', 'user_id', { equals: '' }, 'absent binary text'],
    ['request', 'country_code', { equals: 'DE' }, 'full'],
    ['request', 'node_id', { equals: 'node' }, 'full'],
    ['request', 'prompt_id', { equals: 'pid' }, 'full'],
    ['response', 'status', { equals: 200 }, 'full'],
    ['response', 'body_tokens', { equals: 12 }, 'full'],
    ['response', 'body_model', { equals: 'answered' }, 'full'],
    ['response', 'model', { equals: 'answered' }, 'full'],
    ['response', 'body_completion', { ilike: 'd_NE' }, 'full'],
    ['response', 'body_completion', { ilike: 'n_ne' }, ''],
    ['feedback', 'rating', { equals: false }, 'binary'],
    ['feedback', 'id', { equals: 1_767_225_600_000_001 }, 'full'],
    ['feedback', 'id', { 'not-equals': 1_767_225_600_000_001 }, 'absent binary text'],
    ['feedback', 'created_at', { gte: '2026-02-01' }, 'full'],
    ['feedback', 'response_id', { equals: 'resp-1' }, 'full'],
    ['feedback', 'response_id', { equals: 'resp-4' }, ''],
    ['feedback', 'response_id', { 'not-equals': 'resp-1' }, 'absent binary text'],
  ])('%s.%s %j', async (group, field, operators, expected) => {
    expect(await namesFor({ [group]: { [field]: operators } })).toBe(expected);
  });

  test.each<readonly [string, unknown, string]>([
    ['city', { equals: 'Oslo' }, 'full'],
    ['city', { contains: 'OSL' }, 'full'],
    ['city', { 'not-equals': 'Oslo' }, 'absent binary text'],
    ['empty', { like: '%' }, 'full'],
    ['empty', { equals: '' }, everyRow],
  ])('values %s %j', async (name, operators, expected) => {
    expect(await namesFor({ values: { [name]: operators } })).toBe(expected);
  });
});
