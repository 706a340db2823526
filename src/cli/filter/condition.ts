import { type Filter, type UserFilter, where, whereUser } from '../../client/client.ts';
import { nearestName } from '../../model/nearest-name.ts';
import { type FieldDefinition, fieldGroups, mapWrappers, requestFields, sessionFields, userFields } from '../../model/vocabulary/fields.ts';
import { operatorFamilies } from '../../model/vocabulary/operators.ts';
import { quoted } from '../../model/text.ts';
import { UsageError } from '../base/dependencies.ts';
import { fieldNames, shortFields, userFieldNames } from './names.ts';

const signs: Readonly<Record<string, string>> = {
  '=': 'equals',
  '!=': 'not-equals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '~': 'contains',
  '!~': 'not-contains',
};

const form = /^\s*(?<name>[^=!<>~]+?)\s*(?<sign>[<>!]=|!~|[=<>~])\s*(?<value>.*)$/su;

/**
 * A condition as people write it: `status>=400`, `model=gpt-4o`, `properties.Team!=search`, `request_body~refund`. @throws UsageError that
 * names what would be right.
 */
export function conditionOf(text: string): UserFilter {
  const { name = '', sign = '', value = '' } = form.exec(text)?.groups ?? {};
  if (name === '') {
    throw new UsageError(
      `--where takes a field, one of ${Object.keys(signs).join(' ')} and a value, such as --where 'status>=400'; got ${quoted(text)}.`,
    );
  }
  const field = shortFields[name] ?? name.replace(/^inputs\./, 'values.');
  const definition = definitionOf(field);
  if (definition === undefined) throw new UsageError(unknownField(name));
  const operator = signs[sign] ?? '';
  const operators: readonly string[] = definition.shape === 'key' ? ['equals'] : operatorFamilies[definition.family];
  if (!operators.includes(operator)) {
    const known = Object.entries(signs).filter(([, meaning]) => operators.includes(meaning));
    throw new UsageError(`--where ${name} takes ${known.map(([each]) => each).join(' ')}; got ${quoted(text)}.`);
  }
  return built(field, operator, valueOf({ name, value, family: definition.family }));
}

/** The condition is checked; its types are for programs. */
function built(field: string, operator: string, value: string | number | boolean): UserFilter {
  if (Object.hasOwn(userFields, field)) return whereUser(field as 'user_cost', operator as 'equals', value as number);
  return where(field as 'cost', operator as 'equals', value as number) as Filter;
}

function definitionOf(field: string): FieldDefinition | undefined {
  const scalars: Readonly<Record<string, FieldDefinition>> = { ...requestFields, ...sessionFields, ...userFields };
  if (Object.hasOwn(scalars, field)) return scalars[field]?.shape === 'map' ? undefined : scalars[field];
  const maps = { ...requestFields, ...mapWrappers, 'session.properties': fieldGroups.session.properties };
  const map = Object.entries(maps).find(([name, { shape }]) => shape === 'map' && field.startsWith(`${name}.`) && field !== `${name}.`);
  if (map !== undefined) return map[1];
  const [group = '', name = ''] = field.split('.');
  const older = { request: fieldGroups.request, response: fieldGroups.response, feedback: fieldGroups.feedback };
  const fields: Readonly<Record<string, FieldDefinition>> = Object.hasOwn(older, group) ? older[group as keyof typeof older] : {};
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function unknownField(name: string): string {
  const nearest = nearestName(name, userFieldNames);
  if (nearest !== undefined) return `--where knows no field ${quoted(name)}. Did you mean ${nearest}?`;
  return `--where knows no field ${quoted(name)}. Fields: ${fieldNames.map((each) => (each.endsWith('.') ? `${each}NAME` : each)).join(', ')}.`;
}

interface Given {
  readonly name: string;
  readonly value: string;
  readonly family: FieldDefinition['family'];
}

function valueOf({ name, value, family }: Given): string | number | boolean {
  switch (family) {
    case 'text':
    case 'timestamp':
      return value;
    case 'number': {
      const number = Number(value);
      if (value.trim() === '' || !Number.isFinite(number)) throw new UsageError(`--where ${name} takes a number; got ${quoted(value)}.`);
      return number;
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw new UsageError(`--where ${name} takes true or false; got ${quoted(value)}.`);
      return value === 'true';
  }
}
