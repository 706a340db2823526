import { type FaultPath, filterFault, type Result, success } from '../../model/fault.ts';
import { isJsonObject, type JsonObject, wellFormed } from '../../model/text.ts';
import { type FieldDefinition, fieldGroups, type FieldGroup, mapWrappers, type MapWrapper } from '../../model/vocabulary/fields.ts';
import { overlongName } from '../../model/vocabulary/limits.ts';
import { familyValueHints, operatorFamilies } from '../../model/vocabulary/operators.ts';
import { condition, type ConditionNode } from './ast.ts';
import { checkComparison } from './check.ts';
import { codeList, didYouMean, code, preview } from './preview.ts';

/** The result of a `properties` leaf without its wrapper: the contract's empty list, an ordinary condition, or a fault. */
export type UnwrappedProperties = 'empty' | 'filter' | 'refuse';

/** The filters that an endpoint accepts. */
export interface FilterDialect {
  readonly wrappers: readonly (FieldGroup | MapWrapper)[];
  readonly unwrappedProperties: UnwrappedProperties;
  /** The wrapper in the error about unwrapped properties; default `request_response_rmt`. */
  readonly propertyWrapper?: FieldGroup;
}

/** All wrappers: every endpoint with filters accepts them. */
export const filterWrappers: FilterDialect['wrappers'] = [
  'request_response_rmt',
  'sessions_request_response_rmt',
  'session',
  'request',
  'response',
  'feedback',
  'values',
];

/** A parsed leaf. With `unwrappedProperties` the dialect answers an empty list. */
export interface ParsedLeaf {
  readonly condition: ConditionNode;
  readonly unwrappedProperties: boolean;
}

/** A step into a leaf: the current object, its path, and how to write the leaf around another object. */
interface Level {
  readonly object: unknown;
  readonly path: FaultPath;
  /** Names the object at the start of a sentence. */
  readonly label: string;
  /** The expected content, for a sentence. */
  readonly wanted: string;
  readonly leafAround: (inner: JsonObject) => JsonObject;
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly path: FaultPath;
}

/** Parses a leaf: one wrapper, one field, one operator. Keys are own entries, so `__proto__` is a name like any other. */
export function parseLeaf(leaf: JsonObject, path: FaultPath, dialect: FilterDialect): Result<ParsedLeaf> {
  const wanted = `one of the wrappers ${codeList(dialect.wrappers)}`;
  const wrapper = singleEntry({ object: leaf, path, label: 'A leaf', wanted, leafAround: (inner) => inner });
  if (!wrapper.ok) return wrapper;
  const { key, value, path: innerPath } = wrapper.value;
  const known = dialect.wrappers.find((candidate) => candidate === key);
  if (known !== undefined) return isMapWrapper(known) ? conditionOfMap(known, wrapper.value) : conditionIn(known, value, innerPath);
  if (key === 'properties') return parseUnwrapped(leaf, wrapper.value, dialect);
  return filterFault(innerPath, `Unknown wrapper ${code(key)}. Known wrappers: ${codeList(dialect.wrappers)}.${wrapperHint(key, dialect)}`);
}

/** Field names of upstream's clients. */
const fieldAliases: ReadonlyMap<string, string> = new Map([['helicone-score-feedback', 'svc-score-feedback']]);

function isMapWrapper(wrapper: FieldGroup | MapWrapper): wrapper is MapWrapper {
  return Object.hasOwn(mapWrappers, wrapper);
}

function conditionOfMap(wrapper: MapWrapper, entry: Entry): Result<ParsedLeaf> {
  const reference = { group: wrapper, field: wrapper, definition: mapWrappers[wrapper] } as const;
  const parsed = comparisonOf(reference, entry, (inner) => ({ [wrapper]: inner }));
  return parsed.ok ? success({ condition: parsed.value, unwrappedProperties: false }) : parsed;
}

function parseUnwrapped(
  leaf: JsonObject,
  { value, path }: Entry,
  { unwrappedProperties, propertyWrapper }: FilterDialect,
): Result<ParsedLeaf> {
  if (unwrappedProperties === 'refuse') {
    return filterFault(
      path,
      `Properties belong inside a wrapper. Write ${preview({ [propertyWrapper ?? 'request_response_rmt']: leaf })}.`,
    );
  }
  const reference = {
    group: 'request_response_rmt',
    field: 'properties',
    definition: fieldGroups.request_response_rmt.properties,
  } as const;
  const parsed = comparisonOf(reference, { key: 'properties', value, path }, (inner) => ({ properties: inner }));
  return parsed.ok ? success({ condition: parsed.value, unwrappedProperties: unwrappedProperties === 'empty' }) : parsed;
}

function conditionIn(group: FieldGroup, value: unknown, path: FaultPath): Result<ParsedLeaf> {
  const leafAround = (inner: JsonObject): JsonObject => ({ [group]: inner });
  const field = singleEntry({ object: value, path, label: code(group), wanted: 'one field', leafAround });
  if (!field.ok) return field;
  const key = fieldAliases.get(field.value.key) ?? field.value.key;
  const definitions: Readonly<Record<string, FieldDefinition>> = fieldGroups[group];
  const definition = Object.hasOwn(definitions, key) ? definitions[key] : undefined;
  if (definition === undefined) {
    return filterFault(
      field.value.path,
      `Unknown field ${code(key)} in ${code(group)}.${didYouMean(key, Object.keys(definitions))} Known fields: ${codeList(Object.keys(definitions))}.`,
    );
  }
  const parsed = comparisonOf({ group, field: key, definition }, field.value, (inner) => leafAround({ [key]: inner }));
  return parsed.ok ? success({ condition: parsed.value, unwrappedProperties: false }) : parsed;
}

interface Target {
  readonly group: FieldGroup | MapWrapper;
  readonly field: string;
  readonly definition: FieldDefinition;
}

function comparisonOf({ group, field, definition }: Target, entry: Entry, leafAround: Level['leafAround']): Result<ConditionNode> {
  if (definition.shape !== 'map') {
    const comparison = operatorIn(definition, entry, leafAround);
    return comparison.ok ? success(condition({ group, field }, comparison.value)) : comparison;
  }
  const named = singleEntry({
    object: entry.value,
    path: entry.path,
    label: code(field),
    wanted: 'one name with its operator',
    leafAround,
  });
  if (!named.ok) return named;
  const { key } = named.value;
  const overlong = overlongName(field, key);
  if (overlong !== undefined) return filterFault(named.value.path, overlong);
  const comparison = operatorIn(definition, named.value, (inner) => leafAround({ [key]: inner }));
  return comparison.ok ? success(condition({ group, field, name: wellFormed(key) }, comparison.value)) : comparison;
}

function operatorIn(
  definition: FieldDefinition,
  { key, value, path }: Entry,
  leafAround: Level['leafAround'],
): ReturnType<typeof checkComparison> {
  const operators = definition.shape === 'key' ? ['equals'] : operatorFamilies[definition.family];
  const wanted = `one operator (${operators.join(', ')}) with ${familyValueHints[definition.family]}`;
  const operator = singleEntry({ object: value, path, label: code(key), wanted, leafAround });
  if (!operator.ok) return operator;
  return checkComparison({ label: key, definition, operator: operator.value.key, value: operator.value.value, path: operator.value.path });
}

/** The only entry of an object in a leaf. */
function singleEntry({ object, path, label, wanted, leafAround }: Level): Result<Entry> {
  if (!isJsonObject(object)) return filterFault(path, `${label} takes an object with ${wanted}; got ${preview(object)}.`);
  const [first, second] = Object.entries(object);
  if (first === undefined) return filterFault(path, `${label} is empty; it takes ${wanted}.`);
  if (second !== undefined) return filterFault(path, severalSentence(label, first, second, leafAround));
  const [key, value] = first;
  return success({ key, value, path: [...path, key] });
}

type KeyAndValue = readonly [string, unknown];

function severalSentence(label: string, first: KeyAndValue, second: KeyAndValue, leafAround: Level['leafAround']): string {
  const [left, right] = [first, second].map(([key, value]) => preview(leafAround({ [key]: value })));
  return (
    `A leaf holds one condition, but ${label === 'A leaf' ? 'this one' : label} holds ${code(first[0])} and ${code(second[0])}. ` +
    `Write two leaves: {"left": ${left}, "operator": "and", "right": ${right}}.`
  );
}

function wrapperHint(key: string, { wrappers }: FilterDialect): string {
  const owner = Object.entries<Readonly<Record<string, FieldDefinition>>>(fieldGroups).find(
    ([group, fields]) => wrappers.includes(group as FieldGroup) && Object.hasOwn(fields, key),
  );
  return owner === undefined ? '' : ` ${code(key)} is a field: put it inside ${code(owner[0])}.`;
}
