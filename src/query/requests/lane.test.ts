import { describe, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { readBody } from '../../contract/read-body.ts';
import { requestQuerySchema } from '../../contract/requests/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { longBodiesProbe } from '../hints/hints.ts';
import { legacyDialect, planRequests, requestDialect, type RequestsPlan } from './query.ts';
import { bodiesStatements, countStatement, pageStatements, requestsByIdStatement } from './select.ts';

const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;
const id = '0197b000-0000-7000-8000-00000000000b';

function planOf(body: Readonly<Record<string, unknown>>, dialect = requestDialect): RequestsPlan {
  const planned = unwrap(planRequests(tenant, unwrap(readBody(requestQuerySchema, { filter: {}, ...body })), dialect));
  if (planned.kind !== 'page') throw new Error(planned.hint);
  return planned.plan;
}

const leaf = (field: string, operators: unknown): object => ({ request_response_rmt: { [field]: operators } });
const and = (left: object, right: object): object => ({ left, operator: 'and', right });
const since = leaf('request_created_at', { gte: '2026-01-01' });
const sought = leaf('request_id', { equals: id });

describe('a page is read', () => {
  test.each([
    ['of the newest requests', {}],
    ['of a time', { filter: and(since, leaf('request_created_at', { lt: '2026-02-01' })), limit: 1000 }],
    ['of the oldest first', { sort: { created_at: 'asc' }, offset: 1000 }],
    ['of one request by its identifier', { filter: sought }],
    ['of one request that must also have a status', { filter: and(sought, leaf('status', { equals: 200 })), sort: { latency: 'desc' } }],
  ])('in the short lane: %s', (_, body) => {
    expect(pageStatements(planOf(body)).map(({ lane }) => lane)).not.toContain('long');
  });

  test.each([
    ['of a text anywhere in an address', { filter: leaf('target_url', { ilike: '%x%' }) }],
    ['of a status, which may be rare', { filter: and(since, leaf('status', { equals: 599 })) }],
    ['of a property', { filter: leaf('properties', { Team: { equals: 'a' } }) }],
    ['of a word in a body', { filter: leaf('request_body', { contains: 'x' }) }],
    ['of one request that must also have a word in its body', { filter: and(sought, leaf('request_body', { contains: 'x' })) }],
    ['of either of two identifiers', { filter: { left: sought, operator: 'or', right: sought } }],
    ['in the order of another column', { sort: { latency: 'desc' } }],
    ['in the order of a text of the body', { sort: { response_text: 'asc' } }],
    ['in random order', { sort: { random: true } }],
    ['of what was scored', { isScored: true }],
    ['of what came from the cache', { isCached: true }],
    ['far behind the first', { offset: 1995 }],
  ])('in the long lane: %s', (_, body) => {
    expect(pageStatements(planOf(body)).map(({ lane }) => lane)).not.toContain('short');
  });
});

test('a page of what was not scored, as older clients ask for it, is read in the long lane', () => {
  expect(pageStatements(planOf({ isScored: false }, legacyDialect)).map(({ lane }) => lane)).toEqual(['long']);
  expect(pageStatements(planOf({ isScored: false })).map(({ lane }) => lane)).toEqual(['short']);
});

test('every count is made in the long lane, and so is the look for bodies that were searched in part', () => {
  expect([{}, { filter: sought }].map((body) => countStatement(planOf(body)).lane)).toEqual(['long', 'long']);
  expect(longBodiesProbe(planOf({ filter: leaf('request_body', { contains: 'x' }) }))?.statement.lane).toBe('long');
});

test('requests by their identifiers, and bodies by their keys, are read in the short lane', () => {
  expect(requestsByIdStatement(tenant, [id] as never, 'anywhere')?.lane).toBe('short');
  expect(bodiesStatements(tenant, [{ id, created_ms: 1 }])[0]?.lane).toBe('short');
});
