import { expect, it } from 'vitest';
import { propertyFiltersOf, withPropertyFilters } from './property-filters.ts';

const leaf = (key: string, value: string) => ({ request_response_rmt: { properties: { [key]: { equals: value } } } });
const cost = { request_response_rmt: { cost: { gt: 1 } } };
const short = (key: string, value: string) => ({ key, value });

it.each([undefined, 'all', {}])('%j with short forms is those alone', (filter) => {
  expect(withPropertyFilters(filter, [])).toBe('all');
  expect(withPropertyFilters(filter, [short('Team', 'a')])).toEqual(leaf('Team', 'a'));
});

it('short forms must hold beside the filter', () => {
  expect(withPropertyFilters(cost, [short('Team', 'a'), short('Env', 'b')])).toEqual({
    left: { left: cost, operator: 'and', right: leaf('Team', 'a') },
    operator: 'and',
    right: leaf('Env', 'b'),
  });
});

it('a filter read back has the short forms that must hold, and gets none of them twice', () => {
  const filter = withPropertyFilters({ left: cost, operator: 'or', right: leaf('Other', 'x') }, [short('Team', 'a'), short('Team', 'b')]);
  expect(propertyFiltersOf(filter)).toEqual([short('Team', 'a'), short('Team', 'b')]);
  expect(withPropertyFilters(filter, propertyFiltersOf(filter))).toBe(filter);
});

it.each([leaf('constructor', 'x'), { request_response_rmt: { properties: JSON.parse('{"__proto__": {"equals": "x"}}') as object } }])(
  'a property of any name: %j',
  (filter) => {
    const [found] = propertyFiltersOf(filter);
    expect(withPropertyFilters('all', [found ?? short('', '')])).toEqual(filter);
  },
);

it.each([
  { request_response_rmt: { properties: { Team: { contains: 'a' } } } },
  { request_response_rmt: { model: { equals: 'a' } } },
  { properties: { Team: { equals: 'a' } } },
  { left: leaf('A', '1'), operator: 'or', right: leaf('B', '2') },
  null,
  'text',
])('%j has no short form', (filter) => {
  expect(propertyFiltersOf(filter)).toEqual([]);
});
