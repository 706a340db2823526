import { describe, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { readBody } from '../../contract/read-body.ts';
import { requestQuerySchema } from '../../contract/requests/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { planRequests, requestDialect, type RequestsPlan } from './query.ts';

const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;

function planOf(body: unknown): RequestsPlan {
  const planned = unwrap(planRequests(tenant, unwrap(readBody(requestQuerySchema, body)), requestDialect));
  if (planned.kind !== 'page') throw new Error(planned.hint);
  return planned.plan;
}

test('defaults', () => {
  expect(planOf({ filter: {} })).toEqual({
    tenant,
    filter: { kind: 'all' },
    flags: { cached: false, scored: false, inExperiment: false },
    sort: [{ key: 'created_at', direction: 'desc' }],
    after: undefined,
    offset: 0,
    limit: 10,
    includeInputs: false,
  });
});

test("the contract's minimal sample, with fields that nobody knows", () => {
  const sample = {
    filter: {},
    isCached: false,
    limit: 10,
    offset: 0,
    sort: { created_at: 'desc' },
    isScored: false,
    isPartOfExperiment: false,
  };
  expect(planOf({ ...sample, organizationId: 'x' })).toEqual(planOf({ filter: 'all' }));
});

test('everything set', () => {
  const body = {
    filter: 'all',
    offset: 5,
    limit: 0,
    sort: { created_at: 'asc' },
    isCached: true,
    isScored: true,
    isPartOfExperiment: true,
    includeInputs: true,
  };
  expect(planOf(body)).toMatchObject({
    flags: { cached: true, scored: true, inExperiment: true },
    sort: [{ key: 'created_at', direction: 'asc' }],
    offset: 5,
    limit: 0,
    includeInputs: true,
  });
});

test('properties outside their wrapper plan the empty answer', () => {
  const planned = unwrap(planRequests(tenant, { filter: { properties: { Env: { equals: 'x' } } } }, requestDialect));
  expect(planned).toEqual({ kind: 'nothing', hint: expect.stringContaining('request_response_rmt') as string });
});

const notOurs = '`cursor` is not one that was given here. Send the value of the response header svc-next-cursor as it was.';
const knownKeys =
  'Known keys: `created_at`, `cache_created_at`, `latency`, `last_active`, `total_tokens`, `completion_tokens`, `prompt_tokens`, `user_id`, `body_model`, `is_cached`, `request_prompt`, `response_text`, `cost`, `time_to_first_token`, `random`, `properties`, `values`.';

describe('a sort', () => {
  test('of several keys keeps the order written', () => {
    expect(
      planOf({ filter: {}, sort: { cost: 'desc', properties: { Team: 'asc', é: 'desc' }, random: false, values: { city: 'asc' } } }).sort,
    ).toEqual([
      { key: 'cost', direction: 'desc' },
      { key: 'properties', name: 'Team', direction: 'asc' },
      { key: 'properties', name: 'é', direction: 'desc' },
      { key: 'values', name: 'city', direction: 'asc' },
    ]);
  });

  test('at random stands alone', () => {
    expect(planOf({ filter: {}, sort: { random: true } }).sort).toBe('random');
  });
});

describe('is refused with 422', () => {
  test.each([
    ['no object', [], '$', 'The body is a JSON object such as {"filter": "all"}.'],
    ['no filter', {}, 'filter', '`filter` is missing; send {"filter": {}} to match every request.'],
    ['a null filter', { filter: null }, 'filter', 'A filter is a leaf, a branch, {} or "all"; got null.'],
    ['a limit over 1000', { filter: {}, limit: 1001 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a negative limit', { filter: {}, limit: -1 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a broken limit', { filter: {}, limit: 1.5 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a limit as text', { filter: {}, limit: '10' }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a negative offset', { filter: {}, offset: -1 }, 'offset', '`offset` takes a whole number, 0 or more.'],
    ['a huge offset', { filter: {}, offset: 1e300 }, 'offset', '`offset` takes a whole number, 0 or more.'],
    ['a cursor', { filter: {}, cursor: 'x' }, 'cursor', notOurs],
    ['no cursor', { filter: {}, cursor: null }, 'cursor', '`cursor` takes the text of the response header svc-next-cursor.'],
    ['a flag as text', { filter: {}, isCached: 'yes' }, 'isCached', '`isCached` takes true or false.'],
    [
      'an unknown sort key',
      { filter: {}, sort: { createdAt: 'desc' } },
      'sort.createdAt',
      `Unknown sort key \`createdAt\`. Did you mean \`created_at\`? ${knownKeys}`,
    ],
    [
      'a sort key of every object',
      { filter: {}, sort: { constructor: 'desc' } },
      'sort.constructor',
      `Unknown sort key \`constructor\`. ${knownKeys}`,
    ],
    [
      'an unknown direction',
      { filter: {}, sort: { created_at: 'DESC' } },
      'sort.created_at',
      '`created_at` is sorted "asc" or "desc"; got "DESC".',
    ],
    [
      'a random order beside a key',
      { filter: {}, sort: { random: true, cost: 'asc' } },
      'sort',
      '`random` stands alone: leave the other keys out.',
    ],
    ['random as text', { filter: {}, sort: { random: 'yes' } }, 'sort.random', '`random` takes true or false; got "yes".'],
    [
      'properties without a name',
      { filter: {}, sort: { properties: {} } },
      'sort.properties',
      '`properties` takes names with directions, such as {"Team": "asc"}; got {}.',
    ],
    [
      'a name without a direction',
      { filter: {}, sort: { values: { city: 1 } } },
      'sort.values.city',
      '`city` is sorted "asc" or "desc"; got 1.',
    ],
    [
      'the name of a property that none can have',
      { filter: {}, sort: { properties: { ['x'.repeat(129)]: 'asc' } } },
      `sort.properties["${'x'.repeat(128)}…"]`,
      'Names in `properties` have at most 128 characters; this one has 129.',
    ],
    [
      'a sort as text',
      { filter: {}, sort: 'created_at' },
      'sort',
      '`sort` takes an object such as {"created_at": "desc"}; got "created_at".',
    ],
  ])('%s', (_, body, path, message) => {
    expect(() => planOf(body)).toThrow(expect.objectContaining({ status: 422, message, details: { path } }) as Error);
  });
});
