import { nearestName } from '../../model/nearest-name.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { type FieldDefinition, fieldGroups } from '../../model/vocabulary/fields.ts';
import { operatorFamilies } from '../../model/vocabulary/operators.ts';

type Fields = Readonly<Record<string, FieldDefinition>>;
const groups: Readonly<Record<string, Fields>> = fieldGroups;

/** Deeper filters are not corrected, nor larger ones: each name is compared with all known ones. */
const maxDepth = 50;
const maxValues = 500;

/** Other notations of operators, in lower case without marks between words. */
const operatorAliases: Readonly<Record<string, string>> = {
  eq: 'equals',
  is: 'equals',
  '=': 'equals',
  '==': 'equals',
  ne: 'not-equals',
  neq: 'not-equals',
  isnot: 'not-equals',
  '!=': 'not-equals',
  notequals: 'not-equals',
  notequal: 'not-equals',
  equal: 'equals',
  '>': 'gt',
  '>=': 'gte',
  ge: 'gte',
  '<': 'lt',
  '<=': 'lte',
  le: 'lte',
  includes: 'contains',
  contain: 'contains',
  notcontains: 'not-contains',
};

/**
 * A filter in the notations that models know from elsewhere, as the grammar writes it: lists under `and`, several conditions in a leaf, a
 * field without its group, near names, other names of operators, numbers as text. @returns undefined where nothing is left of it.
 */
export function correctFilter(input: unknown): unknown {
  return isLarge(input) ? undefined : corrected(input, 0);
}

function isLarge(input: unknown): boolean {
  const waiting = [input];
  for (let values = 0; waiting.length > 0; values += 1) {
    if (values + waiting.length > maxValues) return true;
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
  }
  return false;
}

function corrected(input: unknown, depth: number): unknown {
  if (depth > maxDepth) return undefined;
  if (Array.isArray(input)) return joined(input, 'and', depth);
  if (!isJsonObject(input)) return undefined;
  if ('left' in input || 'right' in input) {
    return joined([input['left'], input['right']], /or/i.test(String(input['operator'])) ? 'or' : 'and', depth);
  }
  const list = Object.keys(input).find((key) => /^\$?(?:and|or|all|any)$/i.test(key));
  if (list !== undefined && Array.isArray(input[list])) return joined(input[list], /or|any/i.test(list) ? 'or' : 'and', depth);
  return folded(Object.entries(input).flatMap(([wrapper, inner]) => leavesIn(wrapper, inner)));
}

function joined(parts: readonly unknown[], operator: 'and' | 'or', depth: number): unknown {
  return folded(
    parts.map((part) => corrected(part, depth + 1)).filter((part) => part !== undefined),
    operator,
  );
}

function folded([first, ...others]: readonly unknown[], operator: 'and' | 'or' = 'and'): unknown {
  return others.reduce((left, right) => ({ left, operator, right }), first);
}

function leavesIn(wrapper: string, inner: unknown): readonly unknown[] {
  const group = Object.hasOwn(groups, wrapper) ? wrapper : nearestName(wrapper, Object.keys(groups));
  const owner = ownerOf(wrapper);
  if (owner !== undefined && !(group === wrapper)) return leavesOf(owner.group, owner.field, inner);
  if (group === undefined || !isJsonObject(inner)) return [];
  return Object.entries(inner).flatMap(([field, value]) => {
    const known = ownerOf(field, group) ?? ownerOf(field);
    return known === undefined ? [] : leavesOf(known.group, known.field, value);
  });
}

interface Owner {
  readonly group: string;
  readonly field: string;
}

/** The group that has a field, or one that is nearly called so. @param only looks in this group alone. */
function ownerOf(name: string, only?: string): Owner | undefined {
  const candidates = Object.entries(groups).filter(([group]) => only === undefined || group === only);
  const exact = candidates.find(([, fields]) => Object.hasOwn(fields, name));
  if (exact !== undefined) return { group: exact[0], field: name };
  for (const [group, fields] of candidates) {
    const field = nearestName(name, Object.keys(fields));
    if (field !== undefined) return { group, field };
  }
  return undefined;
}

function leavesOf(group: string, field: string, value: unknown): readonly unknown[] {
  const definition = groups[group]?.[field];
  if (definition === undefined) return [];
  if (definition.shape !== 'map') return comparisonsOf(definition, value).map((comparison) => ({ [group]: { [field]: comparison } }));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    comparisonsOf(definition, inner).map((comparison) => ({ [group]: { [field]: { [name]: comparison } } })),
  );
}

function comparisonsOf(definition: FieldDefinition, value: unknown): readonly JsonObject[] {
  if (!isJsonObject(value)) return [{ equals: fitted(definition, value) }];
  return Object.entries(value).flatMap(([operator, operand]) => {
    const known = operatorOf(definition, operator);
    return known === undefined ? [] : [{ [known]: fitted(definition, operand) }];
  });
}

function operatorOf({ shape, family }: FieldDefinition, given: string): string | undefined {
  const operators: readonly string[] = shape === 'key' ? ['equals'] : operatorFamilies[family];
  const name = given.toLowerCase().replaceAll(/[\s_$-]/g, '');
  const meant = operatorAliases[name] ?? given.toLowerCase();
  return operators.includes(meant) ? meant : nearestName(meant, operators);
}

function fitted({ family }: FieldDefinition, value: unknown): unknown {
  if (family === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (family === 'text' && typeof value === 'number') return String(value);
  if (family === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
