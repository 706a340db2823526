import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifier } from './identifier.ts';
import { endsInOpenEscape, escapeLike } from './like.ts';
import { join, param, sql } from './sql.ts';
import { ownTable, statementFor, type TenantId } from './statement.ts';

const tenant = '00000000-0000-7000-8000-00000000000a' as TenantId;

describe('a fragment', () => {
  test('keeps values out of the text and shares equal ones', () => {
    const model = sql`model = ${param("x' OR 1=1", 'String')}`;
    const made = statementFor(
      tenant,
      sql`SELECT 1 FROM ${ownTable('requests', join([model, model], ' OR '))} LIMIT ${param(5, 'UInt64')}`,
      'short',
    );
    expect(made.text).toBe(
      'SELECT 1 FROM requests WHERE org_id = {tenant:UInt128} AND (model = {p0:String} OR model = {p0:String}) LIMIT {p1:UInt64}',
    );
    expect(made.params).toEqual({ p0: "x' OR 1=1", p1: '5', tenant: String(0x7000_8000_00000000000an) });
  });

  test('does not share values of different types', () => {
    const made = statementFor(tenant, sql`SELECT ${param('1', 'String')}, ${param(1, 'Int64')} FROM ${ownTable('requests')}`, 'short');
    expect(made.params).toEqual({ p0: '1', p1: '1', tenant: expect.any(String) as string });
  });

  test('replaces lone surrogates', () => {
    expect(param('a\uD800b', 'String').value).toBe('a\uFFFDb');
  });

  test('writes large numbers as text and arrays as they are', () => {
    expect(param(1e21, 'Float64').value).toBe('1e+21');
    expect(param(-0, 'Float64').value).toBe('0');
    expect(param([1n, 2n ** 127n], 'Array(UInt128)').value).toEqual([1n, 2n ** 127n]);
  });

  test('of an empty list is empty', () => {
    expect(join([], ', ').pieces).toEqual([]);
  });
});

describe('a statement', () => {
  const own = ownTable('requests', sql`a = 1`);
  test.each([
    ['without a table', sql`SELECT 1`],
    ["with a table that is not the tenant's", sql`SELECT 1 FROM requests`],
    ['with such a table in another case', sql`select 1 from requests WHERE org_id = 1`],
    ['with such a table in backticks', sql`SELECT 1 FROM ${identifier('requests')}`],
    ['with one table of two that is', sql`SELECT 1 FROM requests WHERE a IN (SELECT a FROM ${own})`],
    ['with one table of two that is, the other way round', sql`SELECT 1 FROM ${ownTable('requests', sql`a IN (SELECT a FROM bodies)`)}`],
    ['with a table behind IN', sql`SELECT 1 FROM ${ownTable('requests', sql`a IN bodies`)}`],
    ['with a table in parentheses behind IN', sql`SELECT 1 FROM ${ownTable('requests', sql`a IN (bodies)`)}`],
    ['with a table in parentheses and spaces behind NOT IN', sql`SELECT 1 FROM ${ownTable('requests', sql`a NOT IN ( bodies )`)}`],
    ['with a dictionary', sql`SELECT dictGet('bodies', 'a', 1) FROM ${own}`],
    ['with a join table', sql`SELECT joinGet('bodies', 'a', 1) FROM ${own}`],
    ['with a question whether a table is there', sql`SELECT EXISTS(SELECT 1) FROM ${own}`],
    ['with a table behind a comma before', sql`SELECT 1 FROM bodies, ${own}`],
    ['with a table behind a comma after', sql`SELECT 1 FROM ${own}, bodies`],
    ['with a table behind a derived one', sql`SELECT a, b FROM (SELECT a FROM ${own} LIMIT 1) AS t, bodies`],
    ['with a join', sql`SELECT 1 FROM ${own} JOIN bodies USING a`],
    ['with a table function', sql`SELECT 1 FROM merge('.*') WHERE a IN (SELECT a FROM ${own})`],
    ['with a way round its condition', sql`SELECT 1 FROM ${own} OR true`],
    ['with a table that stands elsewhere', sql`SELECT 1, ${own}`],
  ])('%s cannot be built', (_, query) => {
    expect(() => statementFor(tenant, query, 'short')).toThrow(TypeError);
  });

  test.each([
    ['that closes a parenthesis too many', sql`true) OR (true`],
    ['that leaves one open', sql`(true`],
    ['with a comment', sql`true -- `],
    ['with another comment', sql`true /* `],
    ['that ends the statement', sql`true; DROP TABLE requests`],
    ['of nothing', sql``],
  ])('with a condition %s cannot be built', (_, condition) => {
    expect(() => ownTable('requests', condition)).toThrow(TypeError);
  });

  test('of something that is no tenant cannot be built', () => {
    expect(() => statementFor('' as TenantId, sql`SELECT 1 FROM ${own}`, 'short')).toThrow(TypeError);
  });

  test('takes derived tables, reads inside a condition, and literals that look like syntax', () => {
    const inner = ownTable('bodies', sql`b != ')--' AND c = 'FROM x'`);
    const made = statementFor(
      tenant,
      sql`SELECT 1 FROM (SELECT a FROM ${ownTable('requests', sql`a IN (SELECT a FROM ${inner})`)} LIMIT 1) GROUP BY a, b`,
      'long',
    );
    expect(made.text).toBe(
      "SELECT 1 FROM (SELECT a FROM requests WHERE org_id = {tenant:UInt128} AND (a IN (SELECT a FROM bodies WHERE org_id = {tenant:UInt128} AND (b != ')--' AND c = 'FROM x'))) LIMIT 1) GROUP BY a, b",
    );
    expect(made.lane).toBe('long');
  });
});

test.each([
  ['plain', '`plain`'],
  ['with space', '`with space`'],
  ['back`tick', '`back\\`tick`'],
  ['back\\slash', '`back\\\\slash`'],
])('identifier %s', (name, expected) => {
  expect(identifier(name).pieces).toEqual([expected]);
});

describe('LIKE patterns', () => {
  test.each([
    ['a', false],
    ['a\\', true],
    ['a\\\\', false],
    ['\\\\\\', true],
    ['', false],
  ])('%j ends in an open escape: %s', (pattern, expected) => {
    expect(endsInOpenEscape(pattern)).toBe(expected);
  });

  test('an escaped text is never open at its end', () => {
    const text = string({ unit: constantFrom('\\', '%', '_', 'a') });
    expect(() => assert(property(text, (any) => !endsInOpenEscape(escapeLike(any))))).not.toThrow();
  });
});
