import { describe, expect, test } from 'vitest';
import { accepted } from '../contract/fault.ts';
import { readBody } from '../contract/read-body.ts';
import { requestQuerySchema } from '../contract/requests.ts';
import type { OrganizationId } from '../model/ids.ts';
import { planRequests, type RequestsPlan } from './plan.ts';

const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;

function planOf(body: unknown): RequestsPlan {
  const planned = accepted(planRequests(tenant, accepted(readBody(requestQuerySchema, body))));
  if (planned.kind !== 'page') throw new Error(planned.hint);
  return planned.plan;
}

test('defaults', () => {
  expect(planOf({ filter: {} })).toEqual({
    tenant,
    filter: { kind: 'all' },
    flags: { cached: false, scored: false, inExperiment: false },
    sort: [{ key: 'created_at', direction: 'desc' }],
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
  const planned = accepted(planRequests(tenant, { filter: { properties: { Env: { equals: 'x' } } } }));
  expect(planned).toEqual({ kind: 'nothing', hint: expect.stringContaining('request_response_rmt') as string });
});

describe('is refused with 422', () => {
  test.each([
    ['no object', [], '$', 'The body is a JSON object such as {"filter": "all"}.'],
    ['no filter', {}, 'filter', '`filter` is missing; send {} to match every request.'],
    ['a null filter', { filter: null }, 'filter', 'A filter is a leaf, a branch, {} or "all"; got null.'],
    ['a limit over 1000', { filter: {}, limit: 1001 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a negative limit', { filter: {}, limit: -1 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a broken limit', { filter: {}, limit: 1.5 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a limit as text', { filter: {}, limit: '10' }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a negative offset', { filter: {}, offset: -1 }, 'offset', '`offset` takes a whole number, 0 or more.'],
    ['a huge offset', { filter: {}, offset: 1e300 }, 'offset', '`offset` takes a whole number, 0 or more.'],
    ['a cursor', { filter: {}, cursor: 'x' }, 'cursor', '`cursor` is not supported by this version; page with `offset` and `limit`.'],
    ['no cursor', { filter: {}, cursor: null }, 'cursor', '`cursor` is not supported by this version; page with `offset` and `limit`.'],
    ['a flag as text', { filter: {}, isCached: 'yes' }, 'isCached', '`isCached` takes true or false.'],
    [
      'an unknown sort key',
      { filter: {}, sort: { createdAt: 'desc' } },
      'sort.createdAt',
      'Unknown sort key `createdAt`. Known keys: `created_at`.',
    ],
    [
      'a sort key of every object',
      { filter: {}, sort: { constructor: 'desc' } },
      'sort.constructor',
      'Unknown sort key `constructor`. Known keys: `created_at`.',
    ],
    [
      'an unknown direction',
      { filter: {}, sort: { created_at: 'DESC' } },
      'sort.created_at',
      '`created_at` is sorted "asc" or "desc"; got "DESC".',
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
