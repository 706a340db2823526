import { asyncProperty, constantFrom, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  and,
  client,
  everyRow,
  idOf,
  namesFor,
  nasty,
  or,
  otherTenant,
  property,
  rmt,
  rows,
  statementOf,
  tenant,
} from '../testing/compile-harness.ts';
import { assert } from '../../../../test/support/seeded.ts';

type Case = readonly [operators: unknown, expected: string];

describe('text columns', () => {
  test.each<Case>([
    [{ equals: nasty }, 'full'],
    [{ equals: nasty.toUpperCase() }, ''],
    [{ equals: '' }, 'absent binary text'],
    [{ 'not-equals': '' }, 'full'],
    [{ 'not-equals': 'x' }, everyRow],
    [{ 'not-equals': nasty }, 'absent binary text'],
    [{ contains: '' }, 'full'],
    [{ 'not-contains': '' }, ''],
    [{ contains: 'üNÏ "Q"' }, 'full'],
    [{ contains: "'S' \\ % _ \t\n\0 {P0:String}" }, 'full'],
    [{ contains: '%' }, 'full'],
    [{ contains: '\\%' }, ''],
    [{ 'not-contains': '"Q"' }, 'absent binary text'],
    [{ 'not-contains': 'x' }, everyRow],
    [{ like: '%' }, 'full'],
    [{ like: '' }, ''],
    [{ like: 'Ünï%end' }, 'full'],
    [{ like: 'ünï%' }, ''],
    [{ like: '_nï%\\%%\\_%\\\\%' }, ''],
    [{ like: '_nï%\\\\%\\%%\\_%' }, 'full'],
    [{ ilike: 'üNÏ%END' }, 'full'],
    [{ ilike: '%' }, 'full'],
  ])('user_id %j', async (operators, expected) => {
    expect(await namesFor(rmt('user_id', operators))).toBe(expected);
  });

  test.each<Case>([
    [{ equals: 'gpt-4o' }, 'full'],
    [{ ilike: 'gpt-4o' }, 'full binary'],
    [{ contains: 'PT-4' }, 'full binary'],
    [{ contains: '_Y%Z\\' }, 'text'],
    [{ contains: '_' }, 'text'],
    [{ like: 'x_y%z\\\\' }, 'text'],
    [{ like: '%\\_%' }, 'text'],
  ])('model %j', async (operators, expected) => {
    expect(await namesFor(rmt('model', operators))).toBe(expected);
  });

  test.each<readonly [string, unknown, string]>([
    ['scores_column', { equals: '{"quality":0.5,"zero":0}' }, 'full'],
    ['scores_column', { equals: '' }, ''],
    ['scores_column', { equals: '{}' }, 'absent text'],
    ['scores_column', { like: '{%' }, everyRow],
    ['scores_column', { contains: 'QUALITY' }, 'full binary'],
    ['assets', { equals: '["a/b","é\\""]' }, 'full'],
    ['assets', { contains: 'A/B' }, 'full'],
    ['assets', { 'not-equals': '' }, everyRow],
    ['assets', { equals: '[]' }, 'absent binary text'],
    ['request_id', { equals: idOf(1) }, 'full'],
    ['request_id', { equals: idOf(1).toUpperCase() }, 'full'],
    ['request_id', { 'not-equals': idOf(1) }, 'absent binary text'],
    ['request_id', { equals: 'full' }, ''],
    ['request_id', { 'not-equals': 'full' }, everyRow],
    ['request_id', { contains: '0000-7000' }, everyRow],
    ['request_id', { like: '%02' }, 'absent'],
    ['organization_id', { equals: tenant }, everyRow],
    ['organization_id', { equals: otherTenant }, ''],
    ['organization_id', { 'not-equals': otherTenant }, everyRow],
    ['organization_id', { contains: '000A' }, everyRow],
    ['cache_reference_id', { equals: idOf(4).toUpperCase() }, 'full'],
    ['cache_reference_id', { equals: '' }, 'absent binary text'],
  ])('%s %j', async (field, operators, expected) => {
    expect(await namesFor(rmt(field, operators))).toBe(expected);
  });
});

describe('properties', () => {
  test.each<readonly [string, unknown, string]>([
    ['Env', { equals: 'Prod' }, 'full'],
    ['env', { equals: 'Prod' }, ''],
    ['Env', { 'not-equals': 'Prod' }, 'absent binary text'],
    ['Env', { ilike: 'prod' }, 'full binary'],
    ['Env', { contains: 'привет' }, 'text'],
    ['Env', { 'not-contains': 'PROD' }, 'absent text'],
    ['blank', { equals: '' }, everyRow],
    ['blank', { 'not-equals': '' }, ''],
    ['blank', { 'not-equals': 'x' }, everyRow],
    ['blank', { like: '%' }, 'full'],
    ['blank', { ilike: '' }, 'full'],
    ['blank', { contains: '' }, 'full'],
    ['blank', { contains: 'x' }, ''],
    ['blank', { 'not-contains': '' }, ''],
    ['blank', { 'not-contains': 'x' }, everyRow],
    ['__proto__', { equals: 'p' }, 'full'],
    ['constructor', { equals: '' }, everyRow],
    ['Svc-Session-Id', { equals: 's-1' }, 'full'],
    ['Helicone-Session-Id', { equals: 's-1' }, 'full'],
    ['Helicone-Session-Id', { equals: 'own' }, 'binary'],
    ['Helicone-Session-Id', { equals: 'hidden' }, ''],
    ['Helicone-Session-Id', { equals: '' }, 'absent'],
    ['Helicone-Session-Id', { like: 's-_' }, 'full text'],
    ['Helicone-Session-Id', { 'not-equals': 's-1' }, 'absent binary text'],
    ['Helicone-Session-Id', { 'not-contains': 'S-' }, 'absent binary'],
  ])('%s %j', async (name, operators, expected) => {
    expect(await namesFor(property(name, operators))).toBe(expected);
  });

  test.each<readonly [string, unknown, string]>([
    ['Env', { equals: 'PR_D' }, 'full binary'],
    ['blank', { equals: '' }, 'full'],
    ['Env', { 'not-equals': 'prod' }, 'full absent text'],
    ['Env', { like: 'P%' }, 'full'],
  ])('searched: %s %j', async (name, operators, expected) => {
    expect(await namesFor(rmt('search_properties', { [name]: operators }))).toBe(expected);
  });

  test.each([
    ['Env', 'full binary text'],
    ['blank', 'full'],
    ['__proto__', 'full'],
    ['toString', ''],
    ['Helicone-Session-Id', 'full binary text'],
  ])('property_key %s', async (name, expected) => {
    expect(await namesFor(rmt('property_key', { equals: name }))).toBe(expected);
  });
});

describe('bodies', () => {
  test.each<readonly [string, unknown, string]>([
    ['request_body', { contains: 'hello' }, 'full text'],
    ['request_body', { contains: '50% OFF_' }, 'text'],
    ['request_body', { contains: '' }, 'full text'],
    ['request_body', { 'not-contains': 'HELLO' }, 'absent binary'],
    ['request_body', { 'not-contains': 'nowhere' }, everyRow],
    ['request_body', { 'not-contains': '' }, ''],
    ['request_body', { equals: '' }, 'absent binary'],
    ['request_body', { 'not-equals': '' }, 'full text'],
    ['request_body', { equals: '{"messages":["Hello World"]}' }, 'full'],
    ['request_body', { equals: '{"messages":["hello world"]}' }, ''],
    ['request_body', { equals: 'SGVsbG8=' }, ''],
    ['request_body', { 'not-equals': '{"messages":["Hello World"]}' }, 'absent binary text'],
    ['request_body', { like: '%Hello%' }, 'full'],
    ['request_body', { like: '%He__o%' }, 'full'],
    ['request_body', { like: '%' }, 'full text'],
    ['request_body', { like: '%"Hello World"%' }, 'full'],
    ['request_body', { like: '%"hello World"%' }, ''],
    ['request_body', { contains: '"HELLO world' }, 'full'],
    ['request_body', { ilike: 'HELLO%BACK' }, 'text'],
    // A backslash before any other character than `%` and `_` is literal.
    ['request_body', { ilike: String.raw`%NOW \ back` }, 'text'],
    ['request_body', { like: String.raw`%off\_now \ back` }, 'text'],
    ['response_body', { contains: 'äöü' }, 'full'],
    ['response_body', { like: '%ÄÖÜ d_ne%' }, 'full'],
    ['response_body', { equals: '' }, 'absent binary text'],
  ])('%s %j', async (field, operators, expected) => {
    expect(await namesFor(rmt(field, operators))).toBe(expected);
  });

  const hello = rmt('request_body', { contains: 'hello' });
  const noDone = rmt('response_body', { 'not-contains': 'done' });
  const noOff = rmt('request_body', { 'not-contains': 'off' });
  test.each<readonly [string, unknown, string]>([
    ['both have to be there', and(hello, rmt('response_body', { contains: 'done' })), 'full'],
    ['one of two', or(rmt('request_body', { contains: 'off' }), rmt('response_body', { contains: 'done' })), 'full text'],
    ['neither of two', and(noDone, noOff), 'absent binary'],
    ['not both', or(noDone, noOff), everyRow],
    ['one there, the other not', and(hello, noOff), 'full'],
    ['beside another column', or(hello, rmt('status', { equals: 499 })), 'full binary text'],
    ['bound in time', and(hello, rmt('request_created_at', { gte: '2026-02-01' })), 'text'],
    ['bound in time and negative', and(noOff, rmt('request_created_at', { gte: '2026-02-01' })), 'absent binary'],
  ])('%s', async (_, filter, expected) => {
    expect(await namesFor(filter)).toBe(expected);
  });
});

describe('numbers', () => {
  test.each<readonly [string, unknown, string]>([
    ['latency', { equals: 100 }, 'full'],
    ['latency', { 'not-equals': 100 }, 'absent binary text'],
    ['latency', { gt: 99.5 }, 'full binary'],
    ['latency', { gte: 100.5 }, 'binary'],
    ['latency', { lt: 1e300 }, 'full binary'],
    ['latency', { gt: 2 ** 64 }, ''],
    ['latency', { lt: 2 ** 64 }, 'full binary'],
    ['latency', { gt: -1e300 }, 'full binary'],
    ['total_tokens', { lte: 12 }, 'full'],
    ['total_tokens', { 'not-equals': 12.5 }, everyRow],
    ['status', { equals: 0 }, 'absent'],
    ['status', { gte: 499 }, 'binary text'],
    ['status', { equals: -0 }, 'absent'],
    ['cost', { equals: 0.3 }, 'full'],
    ['cost', { equals: 0.1 + 0.2 }, ''],
    ['cost', { 'not-equals': 0.1 + 0.2 }, everyRow],
    ['cost', { lt: 0.1 + 0.2 }, 'full text'],
    ['cost', { gt: 0.1 + 0.2 }, 'binary'],
    ['cost', { 'not-equals': 0.3 }, 'absent binary text'],
    ['cost', { equals: 1e-12 }, 'text'],
    ['cost', { lt: 1e-12 }, ''],
    ['cost', { equals: 6e-13 }, ''],
    ['cost', { 'not-equals': 6e-13 }, everyRow],
    ['cost', { gt: 6e-13 }, 'full binary text'],
    ['cost', { lte: 6e-13 }, ''],
    ['cost', { gte: 1.4e-12 }, 'full binary'],
    ['cost', { lt: 1.4e-12 }, 'text'],
    ['cost', { gt: 0.299999999999 }, 'full binary'],
    ['cost', { gte: 1.2345678901234567e19 }, 'binary'],
    ['cost', { lt: 1e40 }, 'full binary text'],
    ['cost', { gt: 1e40 }, ''],
    ['cost', { gt: -1e40 }, 'full binary text'],
    ['cost', { lte: -1e40 }, ''],
    ['cost', { equals: 1e40 }, ''],
    ['cost', { 'not-equals': 1e40 }, everyRow],
  ])('%s %j', async (field, operators, expected) => {
    expect(await namesFor(rmt(field, operators))).toBe(expected);
  });

  test.each<readonly [string, unknown, string]>([
    ['quality', { gte: 0.5 }, 'full binary'],
    ['quality', { equals: 1 }, 'binary'],
    ['quality', { 'not-equals': 1 }, 'full'],
    ['zero', { equals: 0 }, 'full'],
    ['zero', { lt: 1 }, 'full'],
    ['__proto__', { equals: 0 }, ''],
  ])('score %s %j', async (name, operators, expected) => {
    expect(await namesFor(rmt('scores', { [name]: operators }))).toBe(expected);
  });
});

describe('times and flags', () => {
  test.each<readonly [string, unknown, string]>([
    ['request_created_at', { equals: '2026-01-31T12:00:00.123Z' }, 'full'],
    ['request_created_at', { equals: '2026-01-31T13:00:00.123+01:00' }, 'full'],
    ['request_created_at', { gte: '2026-02-01' }, 'absent binary text'],
    ['request_created_at', { gt: '2026-02-01' }, 'binary text'],
    ['request_created_at', { lte: '2026-02-03T00:00:00.001' }, everyRow],
    ['request_created_at', { lt: '2026-02-03T00:00:00.001' }, 'full absent binary'],
    ['request_created_at', { lt: 1e300 }, everyRow],
    ['request_created_at', { gt: 1e300 }, ''],
    ['request_created_at', { gt: -1e300 }, everyRow],
    ['response_created_at', { lt: '2027-01-01' }, 'full'],
    ['threat', { equals: true }, 'full'],
    ['threat', { equals: false }, 'binary'],
    ['cached', { equals: false }, 'absent binary text'],
    ['svc-score-feedback', { equals: true }, 'full'],
    ['svc-score-feedback', { equals: false }, 'binary'],
  ])('%s %j', async (field, operators, expected) => {
    expect(await namesFor(rmt(field, operators))).toBe(expected);
  });
});

describe('trees', () => {
  test.each<readonly [string, unknown, string]>([
    ['everything', {}, everyRow],
    ['or with an unknown on one side', or(rmt('threat', { equals: true }), rmt('status', { equals: 500 })), 'full text'],
    [
      'and inside or',
      or(and(rmt('provider', { equals: 'OPENAI' }), rmt('status', { equals: 0 })), rmt('status', { equals: 500 })),
      'absent text',
    ],
    ['or inside and', and(or(rmt('status', { equals: 0 }), rmt('status', { equals: 500 })), rmt('provider', { equals: 'AZURE' })), 'text'],
  ])('%s', async (_, filter, expected) => {
    expect(await namesFor(filter)).toBe(expected);
  });

  test('the deepest tree with alternating operators runs', async () => {
    let filter = rmt('status', { equals: 0 });
    for (let level = 0; level < 200; level += 1) {
      const even = level % 2 === 0;
      filter = { left: filter, operator: even ? 'or' : 'and', right: rmt('request_body', { contains: even ? `w${level}` : '' }) };
    }
    expect(await namesFor(filter)).toBe('');
  });

  test('the widest tree runs', async () => {
    const wide = (leaves: number): unknown =>
      leaves === 1 ? property('Env', { contains: 'prod' }) : or(wide(leaves >> 1), wide(leaves - (leaves >> 1)));
    expect(await namesFor(wide(1_000))).toBe('full binary');
  });
});

test('the widest tree of the longest conditions runs', async () => {
  const wide = (leaves: number): unknown =>
    leaves === 1 ? rmt('scores_column', { contains: 'quality' }) : or(wide(leaves >> 1), wide(leaves - (leaves >> 1)));
  expect(await namesFor(wide(1_000))).toBe('full binary');
});

describe('any text at all', () => {
  const letters = constantFrom('\\', '%', '_', "'", '"', '`', '\t', '\n', '\0', 'a', 'A', 'é', 'É', 'ß', '😀', '{', '}', '\uD800');
  const text = string({ unit: letters, maxLength: 8 });

  test('a value is found by equals and by contains, whatever it holds', async () => {
    const column = `\u0001${'\\%_\'"`\t\n\0aAéß😀{}'.repeat(2)}`;
    const probe = statementOf(rmt('user_id', { equals: nasty }));
    expect(probe.text).not.toContain(nasty);
    const folds = async (value: string): Promise<boolean> => {
      const inside = column.toLowerCase().includes(value.toWellFormed().toLowerCase());
      const { text: query, params } = statementOf(rmt('user_id', { contains: value }));
      const replaced = query.replaceAll('user_id', '{stored:String}');
      const answer = await client.query({ query: replaced, query_params: { ...params, stored: column }, format: 'JSONEachRow' });
      return (await answer.json()).length === (inside ? rows.length : 0);
    };
    await assert(asyncProperty(text, folds), { numRuns: 60 });
    await assert(
      asyncProperty(text, (value) => folds(column.slice(1, 1 + value.length))),
      { numRuns: 20 },
    );
  });
});
