import { filterWrappers } from '../../query/filter/leaf.ts';
import { describe, expect, test } from 'vitest';
import { type FieldDefinition, fieldGroups, mapWrappers, userFields } from '../../model/vocabulary/fields.ts';
import { operatorFamilies } from '../../model/vocabulary/operators.ts';
import { splitUsersView } from '../../query/users/view.ts';
import { parseFilter } from '../../query/filter/parse.ts';
import { and, between, type FieldPath, type Filter, or, where, whereUser } from '../client.ts';

const dialect = { wrappers: filterWrappers, unwrappedProperties: 'refuse', propertyWrapper: 'request_response_rmt' } as const;

function parsed(filter: unknown): unknown {
  const result = parseFilter(filter, dialect);
  return result.ok ? result.value.filter : result.fault.message;
}

const prefixes: Readonly<Record<keyof typeof fieldGroups, string>> = {
  request_response_rmt: '',
  sessions_request_response_rmt: '',
  session: 'session.',
  request: 'request.',
  response: 'response.',
  feedback: 'feedback.',
};
const values = { text: 'x', number: 1.5, timestamp: '2026-01-31T12:00:00.000Z', boolean: true } as const;

/** Every field of the vocabulary with every operator of its family. */
function cases(): readonly (readonly [path: string, operator: string, value: unknown, expected: object])[] {
  const groups = Object.entries({ ...fieldGroups, '': mapWrappers });
  return groups.flatMap(([group, fields]) =>
    Object.entries(fields as Readonly<Record<string, FieldDefinition>>).flatMap(([field, { shape, family }]) => {
      const path = `${prefixes[group as keyof typeof fieldGroups] ?? ''}${field}${shape === 'map' ? '.a.b' : ''}`;
      const operators = shape === 'key' ? ['equals'] : operatorFamilies[family];
      const place = { group: group === '' ? field : group, field, ...(shape === 'map' ? { name: 'a.b' } : {}) };
      return operators.map((operator) => [path, operator, values[family], place] as const);
    }),
  );
}

describe('a condition', () => {
  test.each(cases())('%s %s is one that the service takes, on the field that is meant', (path, operator, value, place) => {
    const filter = where(path as 'model', operator as 'equals', value as string);
    expect(parsed(filter)).toMatchObject({ kind: 'condition', operator, ...place });
  });

  test.each(Object.entries(userFields))('%s of a user is one that the service takes', (field, { family }) => {
    const split = splitUsersView(whereUser(field as 'user_cost', 'equals', values[family] as unknown as number));
    expect(split.ok && split.value.ofUsers).toHaveLength(1);
  });

  test('writes a date as a moment', () => {
    expect(where('request_created_at', 'gte', new Date(0))).toEqual({
      request_response_rmt: { request_created_at: { gte: '1970-01-01T00:00:00.000Z' } },
    });
  });

  test('takes any name of a property', () => {
    expect(JSON.stringify(where('properties.__proto__', 'equals', 'p'))).toBe(
      '{"request_response_rmt":{"properties":{"__proto__":{"equals":"p"}}}}',
    );
  });

  test('between has both bounds in it', () => {
    expect(between('cost', 1, 2)).toEqual({
      left: { request_response_rmt: { cost: { gte: 1 } } },
      operator: 'and',
      right: { request_response_rmt: { cost: { lte: 2 } } },
    });
  });
});

describe('and, or', () => {
  const a = where('model', 'equals', 'a');
  const b = where('cost', 'gt', 1);

  test.each([
    ['none', and(), 'all'],
    ['one', and(a), a],
    ['absent ones', and(undefined, a, false, null), a],
    ['everything', and('all', a), a],
    ['two', and(a, b), { left: a, operator: 'and', right: b }],
    ['three', and(a, b, a), { left: { left: a, operator: 'and', right: b }, operator: 'and', right: a }],
    ['one of an or', or(a), a],
    ['two of an or', or(a, b), { left: a, operator: 'or', right: b }],
    ['everything in an or', or(a, 'all'), { left: a, operator: 'or', right: 'all' }],
  ] satisfies [string, Filter, unknown][])('%s', (_, filter, expected) => {
    expect(filter).toEqual(expected);
  });

  test('a thousand are as flat as the service takes them', () => {
    const paths: readonly FieldPath[] = Array.from({ length: 1000 }, (_, index) => `properties.p${index}` as const);
    const conditions = paths.map((path) => where(path, 'equals', 'x'));
    expect(parsed(or(a, ...conditions.slice(1)))).toMatchObject({ kind: 'or', operands: { length: 1000 } });
    expect(parsed(and(...conditions))).toMatchObject({ kind: 'and', operands: { length: 1000 } });
  });
});
