import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifier } from './identifier.ts';
import { endsInOpenEscape, escapeLike } from './like.ts';
import { join, param, sql } from './sql.ts';
import { ownRows, shortLimits, statementFor, type TenantId } from './statement.ts';

const tenant = '00000000-0000-7000-8000-00000000000a' as TenantId;

describe('a fragment', () => {
  test('keeps values out of the text and shares equal ones', () => {
    const model = sql`model = ${param("x' OR 1=1", 'String')}`;
    const made = statementFor(
      tenant,
      sql`SELECT 1 FROM t WHERE ${ownRows} AND ${join([model, model], ' OR ')} LIMIT ${param(5, 'UInt64')}`,
      shortLimits,
    );
    expect(made.text).toBe(
      'SELECT 1 FROM t WHERE org_id = {tenant:UInt128} AND model = {p0:String} OR model = {p0:String} LIMIT {p1:UInt64}',
    );
    expect(made.params).toEqual({ p0: "x' OR 1=1", p1: '5', tenant: String(0x7000_8000_00000000000an) });
  });

  test('does not share values of different types', () => {
    const made = statementFor(tenant, sql`SELECT ${param('1', 'String')}, ${param(1, 'Int64')} FROM t WHERE ${ownRows}`, shortLimits);
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
  test.each([
    ['without a tenant', sql`SELECT 1 FROM t`],
    ['with one table of two guarded', sql`SELECT 1 FROM t WHERE ${ownRows} AND a IN (SELECT a FROM u)`],
    ['with an unguarded join', sql`SELECT 1 FROM t JOIN u USING a WHERE ${ownRows}`],
    ['without a table and without a tenant', sql`SELECT 1`],
  ])('%s cannot be built', (_, query) => {
    expect(() => statementFor(tenant, query, shortLimits)).toThrow(TypeError);
  });

  test('of something that is no tenant cannot be built', () => {
    expect(() => statementFor('' as TenantId, sql`SELECT 1 FROM t WHERE ${ownRows}`, shortLimits)).toThrow(TypeError);
  });

  test('takes a derived table without a guard of its own', () => {
    expect(() => statementFor(tenant, sql`SELECT 1 FROM (SELECT a FROM t WHERE ${ownRows})`, shortLimits)).not.toThrow();
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
