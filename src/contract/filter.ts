import { z } from 'zod';
import { type FieldDefinition, fieldGroups, userFields } from '../model/vocabulary/fields.ts';
import { propertyLimits } from '../model/vocabulary/limits.ts';
import { operatorFamilies, type OperatorFamily } from '../model/vocabulary/operators.ts';

export const filterExample = { request_response_rmt: { properties: { Environment: { equals: 'production' } } } } as const;

interface Schema {
  readonly [keyword: string]: unknown;
}

const nodeReference = { $ref: '#/components/schemas/FilterNode' };
const userNodeReference = { $ref: '#/components/schemas/UserFilterNode' };

const valueSchemas: Record<OperatorFamily, Schema> = {
  text: { type: 'string' },
  number: { type: 'number' },
  timestamp: {
    oneOf: [
      { type: 'string', description: 'ISO 8601; without an offset it is UTC.' },
      { type: 'number', description: 'Unix milliseconds.' },
    ],
  },
  boolean: { type: 'boolean' },
};

/** The OpenAPI schema of the grammar, derived from the vocabulary. */
function filterNodeSchema(): Schema {
  const leaves = Object.entries(fieldGroups).map(([group, fields]) => leafSchema(group, fields));
  return {
    description:
      'A condition, a branch of two filters, or everything (`{}` or "all"). A condition names one wrapper, one field and one operator; a range is two conditions under `and`.',
    oneOf: [{ type: 'string', enum: ['all'] }, { type: 'object', maxProperties: 0 }, branchOf(nodeReference), ...leaves],
    example: filterExample,
  };
}

function branchOf(node: Schema): Schema {
  return {
    type: 'object',
    properties: { left: node, operator: { type: 'string', enum: ['and', 'or'] }, right: node },
    required: ['left', 'operator', 'right'],
    additionalProperties: false,
  };
}

function leafSchema(group: string, fields: Readonly<Record<string, FieldDefinition>>): Schema {
  const properties = Object.fromEntries(Object.entries(fields).map(([field, definition]) => [field, fieldSchema(definition)]));
  return {
    type: 'object',
    properties: { [group]: { type: 'object', properties, minProperties: 1, maxProperties: 1, additionalProperties: false } },
    required: [group],
    additionalProperties: false,
  };
}

function fieldSchema({ shape, family, description }: FieldDefinition): Schema {
  const operators = operatorSchema(shape === 'key' ? ['equals'] : operatorFamilies[family], valueSchemas[family]);
  if (shape !== 'map') return { ...operators, description };
  const propertyNames = { type: 'string', maxLength: propertyLimits.nameCharacters };
  return { type: 'object', description, propertyNames, additionalProperties: operators, minProperties: 1, maxProperties: 1 };
}

function operatorSchema(operators: readonly string[], value: Schema): Schema {
  const properties = Object.fromEntries(operators.map((operator) => [operator, value]));
  return { type: 'object', properties, minProperties: 1, maxProperties: 1, additionalProperties: false };
}

/** Any value: `query/filter/parse.ts` parses it and reports faults. This schema only documents the grammar. */
export const filterSchema = z.unknown().meta({ id: 'FilterNode', ...filterNodeSchema() });

/** As {@link filterSchema}; `query/users/view.ts` takes the conditions on users out first. */
export const userFilterSchema = z.unknown().meta({
  id: 'UserFilterNode',
  description:
    'A filter of requests. The group `users_view` compares totals over them; an "or" joins conditions on requests or conditions on totals.',
  anyOf: [nodeReference, leafSchema('users_view', userFields), branchOf(userNodeReference)],
  example: { users_view: { user_cost: { gt: 1 } } },
});
