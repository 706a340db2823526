import { expect, it } from 'vitest';
import { z } from 'zod';
import { type JsonSchema, SchemaWriter } from './schemas.ts';

function written(schema: z.ZodType): JsonSchema {
  return new SchemaWriter().write(schema);
}

it.each<readonly [string, z.ZodType, JsonSchema]>([
  ['text with bounds', z.string().min(1).max(9), { type: 'string', minLength: 1, maxLength: 9 }],
  ['a pattern, also behind a check of our own', z.string().regex(/^a+$/).refine(Boolean), { type: 'string', pattern: '^a+$' }],
  ['an identifier', z.uuid(), { type: 'string', format: 'uuid' }],
  ['a number with bounds', z.number().min(0).lt(2), { type: 'number', minimum: 0, exclusiveMaximum: 2 }],
  ['a whole number', z.int().max(3), { type: 'integer', maximum: 3 }],
  ['a flag with a default', z.boolean().default(false), { type: 'boolean', default: false }],
  ['null', z.null(), { type: 'null' }],
  ['anything', z.unknown(), {}],
  ['one value', z.literal('a'), { type: 'string', enum: ['a'] }],
  ['one of several, or null', z.enum(['a', 'b']).nullable(), { type: ['string', 'null'], enum: ['a', 'b', null] }],
  ['a list with bounds', z.array(z.string()).min(1).max(2), { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }],
  ['values by name', z.record(z.string(), z.int()), { type: 'object', additionalProperties: { type: 'integer' } }],
  ['a choice, or null', z.union([z.string(), z.int().nullable()]), { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }],
  ['what is read before it is changed', z.string().transform(Number).optional(), { type: 'string' }],
  ['a described type in place of the read one', z.unknown().meta({ type: 'array', items: {} }), { type: 'array', items: {} }],
])('writes %s', (_, schema, expected) => {
  expect(written(schema)).toEqual(expected);
});

it('writes an object with what it requires, and whether it takes other members', () => {
  const shape = { a: z.string(), b: z.string().optional(), c: z.string().default('x') };
  const properties = { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string', default: 'x' } };
  expect(written(z.object(shape))).toEqual({ type: 'object', properties, required: ['a'] });
  expect(written(z.strictObject(shape))).toEqual({ type: 'object', properties, required: ['a'], additionalProperties: false });
  expect(written(z.looseObject(shape))).toEqual({ type: 'object', properties, required: ['a'], additionalProperties: {} });
});

it('says what the outermost description says, in the order of the inner one', () => {
  const schema = z.string().meta({ description: 'Inner.', example: 'a' }).optional().meta({ description: 'Outer.' });
  expect(JSON.stringify(written(schema))).toBe('{"type":"string","description":"Outer.","example":"a"}');
});

it('writes what has a name once, and a reference with what is said besides', () => {
  const pen = z.object({ ink: z.string() }).refine(Boolean).meta({ id: 'Pen', description: 'A pen.' });
  const writer = new SchemaWriter();
  const reference = { $ref: '#/components/schemas/Pen' };
  expect(writer.write(z.array(pen))).toEqual({ type: 'array', items: reference });
  expect(writer.write(pen.refine(Boolean))).toEqual(reference);
  expect(writer.write(pen.meta({ description: 'Mine.' }))).toEqual({ allOf: [reference, { description: 'Mine.' }] });
  expect(writer.write(pen.nullable())).toEqual({ anyOf: [reference, { type: 'null' }] });
  expect(writer.components).toEqual({
    Pen: { type: 'object', properties: { ink: { type: 'string' } }, required: ['ink'], description: 'A pen.' },
  });
});

it('writes what has a name as it is where it was given the name, wherever it is met first', () => {
  const pen = z.object({ ink: z.string() }).meta({ id: 'Pen', description: 'A pen.' });
  const writer = new SchemaWriter();
  const reference = { $ref: '#/components/schemas/Pen' };
  expect(writer.write(pen.nullable().meta({ description: 'Mine, or none.' }))).toEqual({
    anyOf: [reference, { type: 'null' }],
    description: 'Mine, or none.',
  });
  expect(writer.write(pen.meta({ description: 'Mine.' }))).toEqual({ allOf: [reference, { description: 'Mine.' }] });
  expect(writer.write(pen)).toEqual(reference);
  expect(writer.components['Pen']).toMatchObject({ type: 'object', description: 'A pen.' });
});

it('writes a schema that names itself', () => {
  const node = z
    .object({
      get children() {
        return z.array(node);
      },
    })
    .meta({ id: 'Node' });
  const writer = new SchemaWriter();
  expect(writer.write(node)).toEqual({ $ref: '#/components/schemas/Node' });
  expect(writer.components['Node']).toMatchObject({
    properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
  });
});

it('refuses a kind of schema that it does not know', () => {
  expect(() => written(z.map(z.string(), z.string()))).toThrow(
    'The OpenAPI document cannot say what map is: give the schema a type with .meta.',
  );
});
