import { expect, test } from 'vitest';
import { groupColumns } from '../../query/filter/sql/columns.ts';
import { auditedFilter } from './audited-filter.ts';

const about = (condition: object): object => ({ request_response_rmt: condition });

test('a filter is kept with its names, times and identifiers', () => {
  const filter = {
    left: about({ user_id: { equals: 'ann' } }),
    operator: 'and',
    right: about({ properties: { Team: { contains: 'search' } } }),
  };
  expect(JSON.parse(auditedFilter({ filter, limit: 10 }) ?? '')).toEqual({ filter, limit: 10 });
  expect(auditedFilter(undefined)).toBeNull();
});

test.each([
  [
    'in a tree',
    { filter: about({ request_body: { contains: 'EMP-424242' } }) },
    { filter: about({ request_body: { contains: '[10 characters]' } }) },
  ],
  [
    'in the text of a parameter',
    { filter: JSON.stringify(about({ response_body: { 'not-equals': 'secret' } })), cursor: 'c' },
    { filter: about({ response_body: { 'not-equals': '[6 characters]' } }), cursor: 'c' },
  ],
  ['in a text that is no filter', { filter: 'secret' }, { filter: '[6 characters]' }],
])('what is looked for in bodies is not: %s', (_where, filter, kept) => {
  expect(JSON.parse(auditedFilter(filter) ?? '')).toEqual(kept);
});

const fieldsOfBodies = Object.entries(groupColumns).flatMap(([group, { text }]) =>
  Object.entries(text)
    .filter(([, { kind }]) => kind === 'body')
    .map(([field]) => [group, field] as const),
);

test.each(fieldsOfBodies)('nor is what is looked for in %s.%s', (group, field) => {
  const kept = auditedFilter({ filter: { [group]: { [field]: { contains: 'EMP-424242' } } } });
  expect(kept).toBe(`{"filter":{"${group}":{"${field}":{"contains":"[10 characters]"}}}}`);
});
