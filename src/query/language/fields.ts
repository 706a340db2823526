import {
  type FieldDefinition,
  fieldGroups,
  type FieldGroup,
  type MapWrapper,
  mapWrappers,
  requestFields,
  sessionFields,
} from '../../model/vocabulary/fields.ts';
import type { FieldReference } from '../filter/ast.ts';

export interface SearchField {
  readonly reference: FieldReference;
  readonly definition: FieldDefinition;
}

/** Short names, with the group and the field for which they stand. */
const shortNames: Readonly<Record<string, readonly [FieldGroup, string]>> = {
  time: ['request_response_rmt', 'request_created_at'],
  user: ['request_response_rmt', 'user_id'],
  country: ['request_response_rmt', 'country_code'],
  id: ['request_response_rmt', 'request_id'],
  ttfb: ['request_response_rmt', 'time_to_first_byte'],
  ttft: ['request_response_rmt', 'time_to_first_token'],
  tokens: ['request_response_rmt', 'total_tokens'],
  prompt: ['request_response_rmt', 'prompt_id'],
  referrer: ['request_response_rmt', 'request_referrer'],
  feedback: ['request_response_rmt', 'svc-score-feedback'],
  session: ['sessions_request_response_rmt', 'session_session_id'],
  session_name: ['sessions_request_response_rmt', 'session_session_name'],
  path: ['request', 'path'],
  key: ['request', 'auth_hash'],
};

/** What stands before the name of a property, a score or an input, with the map for which it stands. */
const mapPrefixes: Readonly<Record<string, readonly [FieldGroup | MapWrapper, string]>> = {
  'properties.': ['request_response_rmt', 'properties'],
  'search_properties.': ['request_response_rmt', 'search_properties'],
  'scores.': ['request_response_rmt', 'scores'],
  'inputs.': ['values', 'values'],
  'session.properties.': ['session', 'properties'],
};

/** The groups whose fields are written with the group in front. */
const writtenGroups = ['request', 'response', 'feedback'] as const satisfies readonly FieldGroup[];

type Definitions = Readonly<Record<string, FieldDefinition>>;

const scalars: ReadonlyMap<string, SearchField> = new Map([
  ...scalarsOf('request_response_rmt', requestFields, ''),
  ...scalarsOf('sessions_request_response_rmt', sessionFields, ''),
  ...writtenGroups.flatMap((group) => scalarsOf(group, fieldGroups[group], `${group}.`)),
  ...Object.entries(shortNames).map(([name, [group, field]]) => [name, searchField(group, field)] as const),
]);

function scalarsOf(group: FieldGroup, fields: Definitions, prefix: string): readonly (readonly [string, SearchField])[] {
  return Object.entries(fields).flatMap(([field, { shape }]) =>
    shape === 'scalar' ? [[prefix + field, searchField(group, field)] as const] : [],
  );
}

function searchField(group: FieldGroup | MapWrapper, field: string, name?: string): SearchField {
  const definitions: Definitions = group in mapWrappers ? mapWrappers : fieldGroups[group as FieldGroup];
  const definition = definitions[field];
  if (definition === undefined) throw new TypeError(`There is no field ${field} in ${group}.`);
  return { reference: { group, field, ...(name === undefined ? {} : { name }) }, definition };
}

/** Words that are no names. */
export const keywords: ReadonlySet<string> = new Set(['OR', 'AND', 'NOT']);
/** Before the name of a property that must be there. */
export const presence = 'has';

/** Names of fields for completions; behind a dot comes the name of a property, a score or an input. */
export const searchFieldNames: readonly string[] = [...scalars.keys(), ...Object.keys(mapPrefixes), presence];

/** The field that a name stands for. Any other name is that of a property. */
export function fieldNamed(name: string): SearchField {
  const scalar = scalars.get(name);
  if (scalar !== undefined) return scalar;
  const prefix = prefixOf(name);
  if (prefix !== undefined) return searchField(...(mapPrefixes[prefix] ?? propertyMap), name.slice(prefix.length));
  return searchField(...propertyMap, name);
}

const propertyMap = ['request_response_rmt', 'properties'] as const;

/** Whether a name is one of the language, and not that of a property. */
export function isFieldName(name: string): boolean {
  return name === presence || scalars.has(name) || prefixOf(name) !== undefined;
}

function prefixOf(name: string): string | undefined {
  return Object.keys(mapPrefixes).find((prefix) => name.startsWith(prefix));
}

/** The names of the scalar fields as they are written; the short one where there is one. */
const writtenNames: ReadonlyMap<string, string> = new Map(
  [...scalars].map(([name, { reference }]) => [`${reference.group} ${reference.field}`, name]),
);

/** The shortest name that stands for a field. */
export function nameOfField({ group, field, name }: FieldReference): string {
  if (name === undefined) return writtenNames.get(`${group} ${field}`) ?? field;
  if (group === propertyMap[0] && field === propertyMap[1] && !isFieldName(name)) return name;
  const prefix = Object.entries(mapPrefixes).find(([, [mapGroup, map]]) => mapGroup === group && map === field);
  return `${prefix?.[0] ?? ''}${name}`;
}
