import { property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { legacyDialect } from '../requests/query.ts';
import { describeFilter } from './describe.ts';
import { parseFilter } from './parse.ts';
import { randomQueries } from './testing/random-queries.ts';
import { assert } from '../../../test/support/seeded.ts';

function explained(filter: unknown): string {
  const parsed = parseFilter(filter, legacyDialect);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return describeFilter(parsed.value.filter);
}

const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const team = (operators: unknown): unknown => rmt('properties', { Team: operators });
const and = (left: unknown, right: unknown): unknown => ({ left, operator: 'and', right });
const or = (left: unknown, right: unknown): unknown => ({ left, operator: 'or', right });
const status = (value: number): unknown => rmt('status', { equals: value });

describe('one condition', () => {
  test.each<readonly [unknown, string]>([
    ['all', 'all requests'],
    [{}, 'all requests'],
    [team({ equals: 'search' }), 'property "Team" is "search"'],
    [team({ equals: '' }), 'property "Team" is empty'],
    [team({ 'not-equals': '' }), 'property "Team" is not empty'],
    [team({ 'not-equals': 'x' }), 'property "Team" is not "x"'],
    [team({ like: 'se\\_%' }), 'property "Team" matches "se\\_%"'],
    [team({ ilike: 'SE%' }), 'property "Team" matches "SE%" in any case'],
    [team({ contains: 'ea' }), 'property "Team" contains "ea"'],
    [team({ 'not-contains': 'ea' }), 'property "Team" does not contain "ea"'],
    [rmt('search_properties', { Team: { equals: 'se%' } }), 'property "Team" matches "se%" in any case'],
    [rmt('property_key', { equals: 'Team' }), 'has a property "Team"'],
    [rmt('scores', { quality: { lt: 0.5 } }), 'score "quality" is under 0.5'],
    [{ values: { city: { equals: 'Oslo' } } }, 'input "city" is "Oslo"'],
    [rmt('latency', { gt: 2000 }), 'latency is over 2000 ms'],
    [rmt('cost', { gte: 0.05 }), 'cost is at least 0.05 USD'],
    [rmt('total_tokens', { lte: 10 }), 'total tokens is at most 10'],
    [rmt('status', { 'not-equals': 200 }), 'status is not 200'],
    [rmt('cached', { equals: false }), 'cached is false'],
    [rmt('svc-score-feedback', { equals: true }), 'feedback rating is true'],
    [rmt('user_id', { equals: 'ada' }), 'user is "ada"'],
    [rmt('request_created_at', { gte: '2026-01-31' }), 'time is at or after 2026-01-31 00:00 UTC'],
    [rmt('request_created_at', { lt: '2026-01-31T12:30:05+01:00' }), 'time is before 2026-01-31 11:30:05 UTC'],
    [rmt('request_created_at', { equals: '2026-01-31T12:30:00.5Z' }), 'time is at 2026-01-31 12:30:00.500 UTC'],
    [{ session: { properties: { Team: { equals: 'x' } } } }, 'session property "Team" is "x"'],
    [{ sessions_request_response_rmt: { session_total_cost: { gt: 1 } } }, 'session total cost is over 1 USD'],
    [{ request: { modelOverride: { equals: 'gpt-4o' } } }, 'model override is "gpt-4o"'],
    [{ response: { body_tokens: { gt: 1e21 } } }, 'total tokens is over 1e+21'],
    [{ feedback: { rating: { equals: false } } }, 'feedback rating is false'],
  ])('%j', (filter, expected) => {
    expect(explained(filter)).toBe(expected);
  });
});

describe('text that could mislead', () => {
  test.each([
    ['a"b', '"a\\"b"'],
    ['x" or status is "1', '"x\\" or status is \\"1"'],
    ['a\nb\0', '"a\\u{a}b\\u{0}"'],
    ['\u202Eabc', '"\\u{202e}abc"'],
    ['👩\u200D👧', '"👩\u200D👧"'],
    ['long '.repeat(20), '"long long long long long long long long long lon…"'],
    ['😀'.repeat(40), `"${'😀'.repeat(24)}…"`],
  ])('%j', (value, shown) => {
    expect(explained(team({ equals: value }))).toBe(`property "Team" is ${shown}`);
  });
});

describe('trees', () => {
  const ors = Array.from({ length: 12 }, (_, index) => status(index)).reduce((left, right) => or(left, right));
  const deep = Array.from({ length: 100 }, (_, index) => status(index)).reduce((left, right, index) =>
    index % 2 === 0 ? or(left, right) : and(left, right),
  );
  test.each<readonly [string, unknown, string]>([
    [
      'a branch inside one of the other kind stands in parentheses',
      and(team({ equals: 'search' }), or(rmt('status', { gte: 400 }), rmt('latency', { gt: 2000 }))),
      'property "Team" is "search" and (status is at least 400 or latency is over 2000 ms)',
    ],
    ['branches of one kind are one list', and(status(1), and(status(2), status(3))), 'status is 1 and status is 2 and status is 3'],
    [
      'of many conditions the first are told',
      ors,
      `${Array.from({ length: 8 }, (_, index) => `status is ${index}`).join(' or ')} or 4 more conditions`,
    ],
    [
      'what is left out of an inner branch is counted there and outside',
      and(ors, status(99)),
      `(${Array.from({ length: 8 }, (_, index) => `status is ${index}`).join(' or ')} or 4 more conditions) and 1 more condition`,
    ],
    [
      'what lies too deep is counted',
      deep,
      '((((status is 95 and 95 more conditions) or status is 96) and status is 97) or status is 98) and status is 99',
    ],
  ])('%s', (_, filter, expected) => {
    expect(explained(filter)).toBe(expected);
  });

  test('no filter is told in more than 1,500 characters', () => {
    expect(() => assert(property(randomQueries([]), ({ filter }) => explained(filter).length <= 1500))).not.toThrow();
    const long = '"'.repeat(200);
    const many = Array.from({ length: 190 }, () =>
      and(rmt('search_properties', { [long.slice(0, 128)]: { ilike: long } }), or(status(1), status(2))),
    );
    expect(explained(many.reduce((left, right) => or(left, right))).length).toBeLessThanOrEqual(1500);
  });
});
