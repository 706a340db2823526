import { describe, expect, test } from 'vitest';
import { SchemaWriter } from '../api/openapi/schemas.ts';
import { requestFields } from '../model/vocabulary/fields.ts';
import { errorOfFault, jsonPath } from './fault.ts';
import { problemSchema } from './problem.ts';
import { propertyUpdateSchema, readPropertyUpdate } from './settings/properties.ts';
import { requestQueryAnswerSchema, requestQuerySchema } from './requests/query.ts';

function documented(): Readonly<Record<string, unknown>> {
  const writer = new SchemaWriter();
  for (const schema of [requestQueryAnswerSchema, problemSchema, requestQuerySchema, propertyUpdateSchema]) writer.write(schema);
  return writer.components;
}

interface FieldSchema {
  readonly properties?: object;
  readonly additionalProperties?: { readonly properties?: object };
}

interface LeafSchema {
  readonly properties: { readonly request_response_rmt: { readonly properties: Readonly<Record<string, FieldSchema>> } };
}

describe('the OpenAPI document', () => {
  const schemas = documented();

  test('names the parts', () => {
    expect(Object.keys(schemas).toSorted()).toEqual([
      'FilterNode',
      'Problem',
      'PropertyUpdate',
      'RequestItem',
      'RequestQuery',
      'RequestQueryAnswer',
    ]);
  });

  test('has the filter grammar from the vocabulary', () => {
    const { oneOf } = schemas['FilterNode'] as { oneOf: readonly Record<string, unknown>[] };
    const leaf = oneOf.find(({ required }) => Array.isArray(required) && required[0] === 'request_response_rmt') as unknown as LeafSchema;
    const fields = leaf.properties.request_response_rmt.properties;
    expect(Object.keys(fields)).toEqual(Object.keys(requestFields));
    expect(Object.keys(fields['latency']?.properties ?? {})).toEqual(['equals', 'not-equals', 'gte', 'lte', 'gt', 'lt']);
    expect(Object.keys(fields['property_key']?.properties ?? {})).toEqual(['equals']);
    expect(Object.keys(fields['scores']?.additionalProperties?.properties ?? {})).toContain('gte');
  });

  test('describes every field of the query, the item and the failure', () => {
    for (const name of ['RequestQuery', 'RequestItem', 'Problem']) {
      const { properties } = schemas[name] as {
        properties: Readonly<Record<string, { description?: string; $ref?: string; allOf?: unknown }>>;
      };
      const bare = Object.entries(properties).filter(([, { description, $ref }]) => description === undefined && $ref === undefined);
      expect(bare.map(([field]) => `${name}.${field}`)).toEqual([]);
    }
  });

  test('requires every key of an item and allows no other', () => {
    const item = schemas['RequestItem'] as { properties: object; required: readonly string[]; additionalProperties: unknown };
    expect(item.required.toSorted()).toEqual(Object.keys(item.properties).toSorted());
    expect(item.required).toEqual(expect.arrayContaining(['request_body', 'response_body', 'usage_raw']));
    expect(item.additionalProperties).toBe(false);
  });

  test('has the sort keys with their directions, and nothing else in a sort', () => {
    const { properties } = schemas['RequestQuery'] as { properties: Readonly<Record<string, unknown>> };
    expect(properties['sort']).toMatchObject({
      type: 'object',
      properties: { created_at: { type: 'string', enum: ['asc', 'desc'] } },
      additionalProperties: false,
    });
  });

  test('has the limits of an update', () => {
    expect(schemas['PropertyUpdate']).toMatchObject({
      type: 'object',
      minProperties: 1,
      maxProperties: 64,
      propertyNames: { minLength: 1, maxLength: 128 },
      additionalProperties: { type: 'string', maxLength: 8192 },
    });
  });

  test('lists the codes that this API answers with, and not those of the gateway alone', () => {
    const { properties } = schemas['Problem'] as { properties: { code: { enum: readonly string[] } } };
    expect(properties.code.enum).toEqual(expect.arrayContaining(['invalid_filter', 'metadata_unavailable', 'query_too_large']));
    for (const code of ['provider_timeout', 'invalid_directive', 'headers_too_large', 'no_provider_key']) {
      expect(properties.code.enum).not.toContain(code);
    }
  });

  test('says of which replies the time to the first token is recorded', () => {
    expect(requestFields.time_to_first_token.description).toContain('event streams only');
    const { properties } = schemas['RequestItem'] as { properties: { time_to_first_token: { description: string } } };
    expect(properties.time_to_first_token.description).toContain('first piece of content of a stream');
  });

  test('requires the filter and nothing else', () => {
    expect(schemas['RequestQuery']).toMatchObject({ properties: { filter: { $ref: '#/components/schemas/FilterNode' } } });
    expect((schemas['RequestQuery'] as { required?: unknown }).required).toEqual(['filter']);
  });
});

describe('a property update', () => {
  test.each([
    [
      'several',
      { a: '1', b: '' },
      [
        ['a', '1'],
        ['b', ''],
      ],
    ],
    ['the older form', { key: 'Env', value: 'prod' }, [['Env', 'prod']]],
    [
      'key and value among others',
      { key: 'Env', value: 'prod', more: 'x' },
      [
        ['key', 'Env'],
        ['value', 'prod'],
        ['more', 'x'],
      ],
    ],
    ['key alone', { key: 'Env' }, [['key', 'Env']]],
    [
      'names of every object',
      JSON.parse('{"__proto__":"1","constructor":"2"}'),
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ],
    ['the older form for such a name', { key: '__proto__', value: 'p' }, [['__proto__', 'p']]],
    ['lone surrogates', { 'a\uD800': '\uDC00' }, [['a\uFFFD', '\uFFFD']]],
    ['the longest', { ['😀'.repeat(128)]: 'x'.repeat(8192) }, [['😀'.repeat(128), 'x'.repeat(8192)]]],
  ])('takes %s', (_, body, expected) => {
    const read = readPropertyUpdate(body);
    expect(read.ok && [...read.value]).toEqual(expected);
  });

  test.each([
    ['no object', ['a'], '$', 'The body is an object of property names and strings, such as {"Environment": "production"}.'],
    ['an empty object', {}, '$', 'Name at least one property, such as {"Environment": "production"}.'],
    ['a number', { a: '1', b: 2 }, 'b', "A property's value is a string; put other values in quotes."],
    ['null', { a: null }, 'a', "A property's value is a string; put other values in quotes."],
    ['an older form with a number', { key: 'a', value: 1 }, 'value', "A property's value is a string; put other values in quotes."],
    ['an empty name', { '': 'x' }, '[""]', "A property's name has 1 to 128 characters; this one has 0."],
    ['a long name', { ['n'.repeat(129)]: 'x' }, `["${'n'.repeat(128)}…"]`, "A property's name has 1 to 128 characters; this one has 129."],
    ['a long value', { a: 'é'.repeat(4097) }, 'a', "A property's value has at most 8192 bytes; this one has 8194."],
    [
      '65 of them',
      Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`p${n}`, ''])),
      '$',
      'One update names at most 64 properties; got 65.',
    ],
  ])('refuses %s', (_, body, path, message) => {
    const read = readPropertyUpdate(body);
    expect(read.ok ? 'accepted' : { path: jsonPath(read.fault.path), message: read.fault.message }).toEqual({ path, message });
  });
});

test('a fault becomes an error with its place', () => {
  const error = errorOfFault({ code: 'invalid_filter', path: ['filter', 'left', 'a b', 0], message: 'Write it so.' });
  expect(error).toMatchObject({ status: 422, code: 'invalid_filter', message: 'Write it so.', details: { path: 'filter.left["a b"][0]' } });
});

test.each([
  ['is shown whole with sixteen steps', Array<string>(16).fill('left'), Array(16).fill('left').join('.')],
  [
    'shows both ends of more, with the number between',
    ['filter', ...Array<string>(200).fill('left'), 'request_response_rmt', 'cost', 'gt'],
    'filter.left.left.left.left.left.left.left…(188 more)….left.left.left.left.left.request_response_rmt.cost.gt',
  ],
  [
    'shows numbers and odd names behind the gap too',
    [...Array<string>(20).fill('a'), 0, 'b c'],
    `${'a.'.repeat(7)}a…(6 more)…${'.a'.repeat(6)}[0]["b c"]`,
  ],
  ['shows an allowed name whole, in characters', ['😀'.repeat(128)], `["${'😀'.repeat(128)}"]`],
  ['cuts a longer name', ['x'.repeat(100_000)], `["${'x'.repeat(128)}…"]`],
])('a path %s', (_, path, expected) => {
  expect(jsonPath(path)).toBe(expected);
});
