import { anything, array, assert, constantFrom, jsonValue, letrec, oneof, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPath } from '../../contract/fault.ts';
import { everything, type FilterNode } from './ast.ts';
import type { FilterDialect } from './leaf.ts';
import { parseFilter } from './parse.ts';

const dialect: FilterDialect = { wrappers: ['request_response_rmt'], unwrappedProperties: 'empty' };

const rmt = (inner: unknown): unknown => ({ request_response_rmt: inner });
const gte = (value: unknown): unknown => rmt({ latency: { gte: value } });
const prop = (inner: unknown): unknown => rmt({ properties: inner });
const latency = (value: number): FilterNode => ({
  kind: 'condition',
  group: 'request_response_rmt',
  field: 'latency',
  family: 'number',
  operator: 'gte',
  value,
});

function filterOf(input: unknown): FilterNode {
  const parsed = parseFilter(input, dialect);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value.filter;
}

function faultOf(input: unknown, over: Partial<FilterDialect> = {}): { path: string; message: string } {
  const parsed = parseFilter(input, { ...dialect, ...over });
  if (parsed.ok) throw new Error('The filter was accepted.');
  return { path: jsonPath(parsed.fault.path), message: parsed.fault.message };
}

/** A chain of branches, as deep as asked, with a leaf at every step. */
function chain(depth: number, operator: (level: number) => string = () => 'and'): unknown {
  let node: unknown = gte(0);
  for (let level = 1; level <= depth; level += 1) node = { left: node, operator: operator(level), right: gte(level) };
  return node;
}

describe('what is accepted', () => {
  test.each([
    ['the empty object', {}],
    ['the word all', 'all'],
    ['both, nested', { left: {}, operator: 'and', right: { left: 'all', operator: 'or', right: gte(1) } }],
    ['all beside a leaf under or', { left: gte(1), operator: 'or', right: 'all' }],
  ])('%s matches everything', (_, input) => {
    expect(filterOf(input)).toEqual(everything);
  });

  test('all beside a leaf under and leaves the leaf', () => {
    expect(filterOf({ left: {}, operator: 'and', right: gte(1) })).toEqual(latency(1));
  });

  test('chains of one operator become one branch in the order written', () => {
    const right = { left: gte(3), operator: 'and', right: gte(4) };
    expect(filterOf({ left: { left: gte(1), operator: 'and', right: gte(2) }, operator: 'and', right })).toEqual({
      kind: 'and',
      operands: [latency(1), latency(2), latency(3), latency(4)],
    });
  });

  test('another operator keeps its own branch', () => {
    expect(filterOf({ left: gte(1), operator: 'and', right: { left: gte(2), operator: 'or', right: gte(3) } })).toEqual({
      kind: 'and',
      operands: [latency(1), { kind: 'or', operands: [latency(2), latency(3)] }],
    });
  });

  test('nodes are frozen', () => {
    const filter = filterOf(chain(3));
    expect(Object.isFrozen(filter)).toBe(true);
    expect(filter.kind === 'and' && Object.isFrozen(filter.operands)).toBe(true);
  });

  test.each(['__proto__', 'constructor', 'toString', 'equals', 'left', '', 'ünï cødé', 'a.b["c"]'])(
    '%j is a property name like any other',
    (name) => {
      const input = JSON.parse(`{"request_response_rmt":{"properties":{${JSON.stringify(name)}:{"equals":"x"}}}}`) as unknown;
      expect(filterOf(input)).toEqual({
        kind: 'condition',
        group: 'request_response_rmt',
        field: 'properties',
        name,
        family: 'text',
        operator: 'equals',
        value: 'x',
      });
    },
  );

  test('a lone surrogate in a name or a value becomes U+FFFD', () => {
    expect(filterOf(rmt({ properties: { 'a\uD800': { equals: '\uDC00b' } } }))).toMatchObject({ name: 'a\uFFFD', value: '\uFFFDb' });
  });

  test('property_key asks for a name', () => {
    expect(filterOf(rmt({ property_key: { equals: 'Env' } }))).toMatchObject({ field: 'property_key', family: 'key', value: 'Env' });
  });
});

describe('what is refused says where and what to write instead', () => {
  test.each([
    ['null', null, 'filter', 'A filter is a leaf, a branch, {} or "all"; got null.'],
    ['another word', 'none', 'filter', 'A filter is a leaf, a branch, {} or "all"; got "none".'],
    ['an array', [], 'filter', 'A filter is a leaf, a branch, {} or "all"; got [].'],
    [
      'an unknown wrapper',
      { request_rmt: {} },
      'filter.request_rmt',
      'Unknown wrapper `request_rmt`. Known wrappers: `request_response_rmt`.',
    ],
    [
      'a field as wrapper',
      { latency: { gte: 1 } },
      'filter.latency',
      'Unknown wrapper `latency`. Known wrappers: `request_response_rmt`. `latency` is a field: put it inside `request_response_rmt`.',
    ],
    [
      'a wrapper around no object',
      rmt('x'),
      'filter.request_response_rmt',
      '`request_response_rmt` takes an object with one field; got "x".',
    ],
    [
      'no timestamp',
      rmt({ request_created_at: { gte: 'yesterday' } }),
      'filter.request_response_rmt.request_created_at.gte',
      '`gte` on `request_created_at` takes an ISO 8601 string such as "2026-01-31T00:00:00Z", or Unix milliseconds as a number; got "yesterday".',
    ],
    [
      'a foreign operator',
      rmt({ latency: { contains: '1' } }),
      'filter.request_response_rmt.latency.contains',
      '`latency` takes equals, not-equals, gte, lte, gt, lt; got `contains`.',
    ],
    [
      'not-equals on a timestamp',
      rmt({ request_created_at: { 'not-equals': 1 } }),
      'filter.request_response_rmt.request_created_at.not-equals',
      '`request_created_at` takes equals, gte, lte, gt, lt; got `not-equals`.',
    ],
    [
      'like on property_key',
      rmt({ property_key: { like: 'x' } }),
      'filter.request_response_rmt.property_key.like',
      '`property_key` takes equals; got `like`.',
    ],
    [
      'a bare value',
      rmt({ latency: 5 }),
      'filter.request_response_rmt.latency',
      '`latency` takes an object with one operator (equals, not-equals, gte, lte, gt, lt) with a finite JSON number; got 5.',
    ],
    [
      'no operator',
      rmt({ latency: {} }),
      'filter.request_response_rmt.latency',
      '`latency` is empty; it takes one operator (equals, not-equals, gte, lte, gt, lt) with a finite JSON number.',
    ],
    ['a number as text', gte('5'), 'filter.request_response_rmt.latency.gte', '`gte` on `latency` takes a finite JSON number; got "5".'],
    [
      'infinity',
      gte(Number('1e999')),
      'filter.request_response_rmt.latency.gte',
      '`gte` on `latency` takes a finite JSON number; got a number too large to keep.',
    ],
    [
      'text as a number',
      rmt({ model: { equals: 4 } }),
      'filter.request_response_rmt.model.equals',
      '`equals` on `model` takes a string; got 4.',
    ],
    [
      'a boolean as text',
      rmt({ cached: { equals: 'true' } }),
      'filter.request_response_rmt.cached.equals',
      '`equals` on `cached` takes true or false; got "true".',
    ],
    [
      'a property without operator',
      rmt({ properties: { Env: 'prod' } }),
      'filter.request_response_rmt.properties.Env',
      '`Env` takes an object with one operator (equals, not-equals, like, ilike, contains, not-contains) with a string; got "prod".',
    ],
    [
      'properties without a name',
      rmt({ properties: {} }),
      'filter.request_response_rmt.properties',
      '`properties` is empty; it takes one name with its operator.',
    ],
    [
      'a branch without a side',
      { left: {}, operator: 'and' },
      'filter',
      'A branch is {"left": …, "operator": "and" | "or", "right": …}; `right` is missing.',
    ],
    [
      'a branch with more',
      { left: {}, operator: 'and', right: {}, not: true },
      'filter',
      'A branch is {"left": …, "operator": "and" | "or", "right": …}; `not` does not belong there.',
    ],
    [
      'an unknown branch operator',
      { left: {}, operator: 'AND', right: {} },
      'filter.operator',
      'A branch\'s operator is "and" or "or"; got "AND".',
    ],
    [
      'a place below a branch',
      { left: {}, operator: 'and', right: { left: gte(null), operator: 'or', right: {} } },
      'filter.right.left.request_response_rmt.latency.gte',
      '`gte` on `latency` takes a finite JSON number; got null.',
    ],
    [
      'a fault beside an all',
      { left: 'all', operator: 'or', right: gte('x') },
      'filter.right.request_response_rmt.latency.gte',
      '`gte` on `latency` takes a finite JSON number; got "x".',
    ],
    [
      'an open escape',
      rmt({ model: { like: 'a\\' } }),
      'filter.request_response_rmt.model.like',
      'The pattern ends in a lone backslash. Write two backslashes for one, or use `contains`, where nothing is special.',
    ],
    [
      'an open escape in a search',
      rmt({ search_properties: { a: { equals: '\\' } } }),
      'filter.request_response_rmt.search_properties.a.equals',
      'The pattern ends in a lone backslash. Write two backslashes for one, or use `contains`, where nothing is special.',
    ],
    [
      'a name that needs quotes',
      rmt({ properties: { 'a b': {} } }),
      'filter.request_response_rmt.properties["a b"]',
      '`a b` is empty; it takes one operator (equals, not-equals, like, ilike, contains, not-contains) with a string.',
    ],
  ])('%s', (_, input, path, message) => {
    expect(faultOf(input)).toEqual({ path, message });
  });

  test('an unknown field lists the known ones, and says which is meant', () => {
    expect(faultOf(rmt({ statu: { equals: 1 } })).message).toContain('. Did you mean `status`? Known fields: ');
    const { path, message } = faultOf(rmt({ toString: { equals: 'x' } }));
    expect(path).toBe('filter.request_response_rmt.toString');
    expect(message).toMatch(
      /^Unknown field `toString` in `request_response_rmt`\. Known fields: `country_code`, `provider`, .*`scores`\.$/,
    );
  });

  test.each([
    [
      'wrappers',
      { request_response_rmt: { model: { equals: 'a' } }, session: {} },
      'this one holds `request_response_rmt` and `session`',
      [rmt({ model: { equals: 'a' } }), { session: {} }],
    ],
    [
      'fields',
      rmt({ model: { equals: 'a' }, cost: { gt: 1 } }),
      '`request_response_rmt` holds `model` and `cost`',
      [rmt({ model: { equals: 'a' } }), rmt({ cost: { gt: 1 } })],
    ],
    ['operators', rmt({ cost: { gt: 1, lt: 2 } }), '`cost` holds `gt` and `lt`', [rmt({ cost: { gt: 1 } }), rmt({ cost: { lt: 2 } })]],
    [
      'names',
      prop({ a: { equals: '1' }, b: { equals: '2' } }),
      '`properties` holds `a` and `b`',
      [prop({ a: { equals: '1' } }), prop({ b: { equals: '2' } })],
    ],
    [
      'operators of a property',
      prop({ a: { equals: '1', like: '2' } }),
      '`a` holds `equals` and `like`',
      [prop({ a: { equals: '1' } }), prop({ a: { like: '2' } })],
    ],
  ])('several %s in one leaf show the two leaves to write', (_, input, what, leaves) => {
    const [left, right] = leaves.map((leaf) => JSON.stringify(leaf));
    expect(faultOf(input).message).toBe(
      `A leaf holds one condition, but ${what}. Write two leaves: {"left": ${left}, "operator": "and", "right": ${right}}.`,
    );
  });

  test('a pattern that is too long', () => {
    expect(faultOf(rmt({ model: { ilike: '_'.repeat(16_385) } })).message).toMatch(/^A pattern has at most 16384 characters/);
    expect(filterOf(rmt({ model: { contains: '_'.repeat(16_385) } }))).toMatchObject({ operator: 'contains' });
  });
});

describe('properties without their wrapper', () => {
  const bare = { properties: { Environment: { equals: 'production' } } };

  test.each([
    ['alone', bare],
    ['deep in a branch', { left: gte(1), operator: 'or', right: { left: {}, operator: 'and', right: bare } }],
    ['beside everything', { left: 'all', operator: 'or', right: bare }],
  ])('%s are the empty outcome, not a fault', (_, input) => {
    const parsed = parseFilter(input, dialect);
    expect(parsed.ok && parsed.value.unwrappedProperties).toBe(true);
  });

  test('inside the wrapper are ordinary', () => {
    const parsed = parseFilter(rmt(bare), dialect);
    expect(parsed.ok && parsed.value.unwrappedProperties).toBe(false);
  });

  test('filter where the dialect says so', () => {
    const parsed = parseFilter(bare, { ...dialect, unwrappedProperties: 'filter' });
    expect(parsed.ok && parsed.value).toEqual({ filter: filterOf(rmt(bare)), unwrappedProperties: false });
  });

  test('are refused with the wrapper shown where the dialect says so', () => {
    expect(faultOf(bare, { unwrappedProperties: 'refuse' })).toEqual({
      path: 'filter.properties',
      message: 'Properties belong inside a wrapper. Write {"request_response_rmt":{"properties":{"Environment":{"equals":"production"}}}}.',
    });
  });

  test('do not hide a fault elsewhere', () => {
    expect(faultOf({ left: bare, operator: 'and', right: gte('x') }).path).toBe('filter.right.request_response_rmt.latency.gte');
  });
});

describe('limits', () => {
  const wide = (leaves: number): unknown =>
    leaves === 1 ? gte(1) : { left: wide(leaves >> 1), operator: 'or', right: wide(leaves - (leaves >> 1)) };

  test('200 branches deep is accepted, also when the operators alternate', () => {
    expect(filterOf(chain(200))).toMatchObject({ kind: 'and' });
    expect(filterOf(chain(200, (level) => (level % 2 === 0 ? 'and' : 'or')))).toMatchObject({ kind: 'and' });
  });

  test('201 is refused', () => {
    expect(faultOf(chain(201)).message).toBe('Branches nest at most 200 deep. Ask in several queries.');
  });

  test('2,000 nodes are the most, so that 1,000 leaves are accepted and 1,001 are refused', () => {
    expect(filterOf({ left: wide(999), operator: 'and', right: {} })).toMatchObject({ kind: 'or' });
    expect(filterOf(wide(1_000))).toMatchObject({ kind: 'or' });
    expect(faultOf(wide(1_001)).message).toBe('A filter has at most 2000 nodes. Ask in several queries.');
  });

  test.each([
    ['branches', '{"left":', '1', ',"operator":"and","right":{}}'],
    ['objects in a leaf', '{"request_response_rmt":{"cost":{"gt":', '1', '}}}'],
    ['objects under two keys', '{"a":1,"b":', '1', '}'],
    ['arrays', '[', '', ']'],
  ])('hostile nesting of %s ends in a fault, not in an overflow', (_, open, middle, close) => {
    const depth = 100_000;
    const input = JSON.parse(`${open.repeat(depth)}${middle}${close.repeat(depth)}`) as unknown;
    expect(faultOf(input).message.length).toBeLessThan(2_000);
  });

  test.each(['properties', 'search_properties', 'scores'])('a name in %s has at most 128 characters, in whatever letters', (field) => {
    const named = (name: string): unknown => rmt({ [field]: { [name]: field === 'scores' ? { gt: 0 } : { 'not-equals': 'x' } } });
    expect(filterOf(named('😀'.repeat(128)))).toMatchObject({ name: '😀'.repeat(128) });
    expect(faultOf(named('x'.repeat(129)))).toEqual({
      path: `filter.request_response_rmt.${field}["${'x'.repeat(128)}…"]`,
      message: `Names in \`${field}\` have at most 128 characters; this one has 129.`,
    });
  });

  test('so has a name that property_key asks for, and a prompt input may have a longer one', () => {
    expect(faultOf(rmt({ property_key: { equals: 'x'.repeat(129) } }))).toEqual({
      path: 'filter.request_response_rmt.property_key.equals',
      message: 'Names in `property_key` have at most 128 characters; this one has 129.',
    });
    const parsed = parseFilter({ values: { ['x'.repeat(129)]: { equals: 'a' } } }, { ...dialect, wrappers: ['values'] });
    expect(parsed.ok).toBe(true);
  });

  test('a fault quotes at most a part of a long key', () => {
    expect(faultOf({ ['x'.repeat(100_000)]: {} }).message.length).toBeLessThan(400);
  });
});

describe('for anything at all', () => {
  const node = letrec((tie) => ({
    node: oneof({ maxDepth: 6 }, constantFrom({}, 'all', gte(1), gte('x'), rmt({ properties: { a: { like: '%' } } })), tie('branch')),
    branch: record({ left: tie('node'), operator: constantFrom('and', 'or'), right: tie('node') }),
  })).node;

  test('parsing gives a filter or a fault and never throws', () => {
    const input = oneof(jsonValue(), node, array(anything()));
    expect(() => assert(property(input, (any) => typeof parseFilter(any, dialect).ok === 'boolean'))).not.toThrow();
  });

  test('no branch holds everything, one operand or a branch of its own kind', () => {
    const flat = (filter: FilterNode): boolean =>
      (filter.kind !== 'and' && filter.kind !== 'or') ||
      (filter.operands.length > 1 &&
        filter.operands.every((operand) => operand.kind !== 'all' && operand.kind !== filter.kind && flat(operand)));
    const holds = (any: unknown): boolean => {
      const parsed = parseFilter(any, dialect);
      return !parsed.ok || flat(parsed.value.filter);
    };
    expect(() => assert(property(node, holds))).not.toThrow();
  });
});
