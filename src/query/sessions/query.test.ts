import { describe, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { readBody } from '../../contract/read-body.ts';
import { sessionNameQuerySchema, sessionQuerySchema } from '../../contract/sessions/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { cursorBehindSession } from './cursor.ts';
import { planSessionNames, planSessions, type SessionsPlan } from './query.ts';

const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;

const planOf = (body: unknown): SessionsPlan => unwrap(planSessions(tenant, unwrap(readBody(sessionQuerySchema, body))));
const namesPlanOf = (body: unknown) => unwrap(planSessionNames(tenant, unwrap(readBody(sessionNameQuerySchema, body))));

test('every field is optional, and these are the defaults', () => {
  expect(planOf({})).toEqual({
    tenant,
    range: { from: undefined, to: undefined },
    filter: { kind: 'all' },
    sort: [{ key: 'created_at', direction: 'desc' }],
    after: undefined,
    offset: 0,
    limit: 50,
    offsetMinutes: 0,
  });
  expect(namesPlanOf({})).toMatchObject({ filter: { kind: 'all' }, tail: 'p75', offsetMinutes: 0 });
});

test('what nobody knows is ignored beside what is known', () => {
  expect(planOf({ filter: {}, somethingElse: 1, sort: {} })).toEqual(planOf({ filter: 'all' }));
});

test('useInterquartile goes before pSize', () => {
  expect(namesPlanOf({ pSize: 'p99.9', useInterquartile: true }).tail).toBe('interquartile');
  expect(namesPlanOf({ pSize: 'p99.9', useInterquartile: false }).tail).toBe('p99.9');
});

const cells = {
  first_ms: '-5',
  latest_ms: '7',
  cost_sum: '0.000000000001',
  request_count: '3',
  failed_count: '2',
  total_sum: '8',
  latency_sum: '7',
  latency_count: '2',
};
const cursorOf = (body: unknown, sessionId = 'it’s %_\\ "x"'): string | undefined =>
  cursorBehindSession(planOf(body), { ...cells, session_id: sessionId });

describe('a cursor', () => {
  test('goes on behind its session, whatever offset stands beside it', () => {
    const cursor = cursorOf({ search: 'a' });
    expect(planOf({ search: 'a', cursor, offset: 7, limit: 3 })).toMatchObject({
      after: { values: ['-5'], sessionId: 'it’s %_\\ "x"' },
      offset: 0,
      limit: 3,
    });
  });

  test.each([
    ['asc', { created_at: 'asc' }, ['-5']],
    ['latest_request_created_at', { latest_request_created_at: 'desc' }, ['7', '-5']],
    ['total_cost', { total_cost: 'desc' }, ['0.000000000001', '-5']],
    ['total_requests', { total_requests: 'asc' }, ['3', '-5']],
    ['failed', { failed: 'desc' }, ['2', '-5']],
    ['total_tokens', { total_tokens: 'desc' }, ['8', '-5']],
    ['avg_latency', { avg_latency: 'asc' }, ['3500000000000000000', '-5']],
    ['several', { total_cost: 'asc', created_at: 'desc', total_tokens: 'asc' }, ['0.000000000001', '-5', '8']],
  ])('carries the values of the order: %s', (_, sort, values) => {
    expect(planOf({ sort, cursor: cursorOf({ sort }) }).after?.values).toEqual(values);
  });

  test('of an identifier that is too long for a header is not given', () => {
    expect(cursorOf({}, 'x'.repeat(4000))).toBeUndefined();
  });
});

const notOurs = '`cursor` is not one that was given here. Send the value of the response header svc-next-cursor as it was.';
const foreign = '`cursor` belongs to another query. Send it with the filter, range, search and sort that gave it, or begin without it.';
const zoneSentence = '`timezoneDifference` takes a number of hours up to 24, or of minutes up to 1440; negative west of UTC.';
const forged = (inner: object): string =>
  Buffer.from(JSON.stringify({ ...(JSON.parse(Buffer.from(cursorOf({}) ?? '', 'base64url').toString()) as object), ...inner })).toString(
    'base64url',
  );

describe('is refused with 422', () => {
  test.each([
    ['no object', [], '$', 'The body is a JSON object such as {"filter": "all"}; {} asks for every session.'],
    ['a limit over 1000', { limit: 1001 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a broken limit', { limit: 1.5 }, 'limit', '`limit` takes a whole number from 0 to 1000.'],
    ['a negative offset', { offset: -1 }, 'offset', '`offset` takes a whole number, 0 or more.'],
    ['a range as text', { startTimeUnixMs: '2026-01-01' }, 'startTimeUnixMs', '`startTimeUnixMs` takes Unix milliseconds as a number.'],
    [
      'a bound of timeFilter as text',
      { timeFilter: { endTimeUnixMs: '1' } },
      'timeFilter.endTimeUnixMs',
      '`endTimeUnixMs` takes Unix milliseconds as a number.',
    ],
    [
      'a timeFilter that is no object',
      { timeFilter: 5 },
      'timeFilter',
      '`timeFilter` takes an object such as {"startTimeUnixMs": 1767225600000, "endTimeUnixMs": 1769904000000}.',
    ],
    [
      'a timeFilter that names neither bound',
      { timeFilter: { start: '2026-01-01', end: '2026-01-02' } },
      'timeFilter',
      '`timeFilter` takes an object such as {"startTimeUnixMs": 1767225600000, "endTimeUnixMs": 1769904000000}.',
    ],
    ['an offset of more than a day in minutes', { timezoneDifference: 1441 }, 'timezoneDifference', zoneSentence],
    ['as much to the west', { timezoneDifference: -1441 }, 'timezoneDifference', zoneSentence],
    ['an offset as text', { timezoneDifference: '2' }, 'timezoneDifference', zoneSentence],
    ['a search that is no text', { search: 5 }, 'search', '`search` takes a string.'],
    ['a name that is no text', { nameEquals: null }, 'nameEquals', '`nameEquals` takes a string.'],
    [
      'a property outside its wrapper',
      { filter: { properties: { Team: { equals: 'x' } } } },
      'filter.properties',
      'Properties belong inside a wrapper. Write {"session":{"properties":{"Team":{"equals":"x"}}}}.',
    ],
    [
      'an unknown session field',
      { filter: { session: { name: { equals: 'x' } } } },
      'filter.session.name',
      'Unknown field `name` in `session`. Known fields: `properties`.',
    ],
    ['a text as cursor', { cursor: 'x' }, 'cursor', notOurs],
    [
      'a cursor of a request query',
      { cursor: Buffer.from('{"v":1,"q":"x","a":"1","i":"2","s":[]}').toString('base64url') },
      'cursor',
      foreign,
    ],
    ['a cursor of another search', { search: 'b', cursor: cursorOf({ search: 'a' }) }, 'cursor', foreign],
    ['a cursor of another range', { startTimeUnixMs: 2, cursor: cursorOf({ startTimeUnixMs: 1 }) }, 'cursor', foreign],
    ['a cursor of another sort', { sort: { total_cost: 'desc' }, cursor: cursorOf({}) }, 'cursor', foreign],
    ['a cursor without a time', { cursor: forged({ s: [] }) }, 'cursor', notOurs],
    ['a cursor with no time', { cursor: forged({ s: ["0'); x"] }) }, 'cursor', notOurs],
    [
      'an unknown sort key',
      { sort: { cost: 'desc' } },
      'sort.cost',
      'Unknown sort key `cost`. Known keys: `created_at`, `latest_request_created_at`, `total_cost`, `total_requests`, `failed`, `total_tokens`, `avg_latency`.',
    ],
    ['a direction', { sort: { total_cost: 'down' } }, 'sort.total_cost', '`total_cost` is sorted "asc" or "desc"; got "down".'],
    ['a sort that is no object', { sort: 'x' }, 'sort', '`sort` takes an object such as {"total_cost": "desc"}; got "x".'],
    ['a cursor without a session', { cursor: forged({ i: 5 }) }, 'cursor', notOurs],
  ])('%s', (_, body, path, message) => {
    expect(() => planOf(body)).toThrow(expect.objectContaining({ message, details: { path } }) as Error);
  });

  test.each([
    ['an unknown share', { pSize: 'p42' }, 'pSize', '`pSize` takes one of p50, p75, p95, p99, p99.9.'],
    ['a flag as text', { useInterquartile: 'yes' }, 'useInterquartile', '`useInterquartile` takes true or false.'],
    ['a name that is no text', { nameContains: 1 }, 'nameContains', '`nameContains` takes a string.'],
  ])('of names: %s', (_, body, path, message) => {
    expect(() => namesPlanOf(body)).toThrow(expect.objectContaining({ message, details: { path } }) as Error);
  });
});
