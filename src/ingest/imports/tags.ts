import { promptIdProperty, shownProperties, aliasOf } from '../../model/vocabulary/property-alias.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import type { ItemFields } from './fields.ts';

/** What the caller said of a request. */
export interface ItemTags {
  readonly properties: Map<string, string>;
  /** The properties of the session or the prompt have upstream names where they are shown. */
  readonly aliasedNames: boolean;
  readonly sessionId: string;
  /** For an item that names its prompt only among the properties. */
  readonly promptIdOfProperties: string;
}

/** Fields of an item, and the properties that they repeat. */
const sessionFields = [
  ['session_id', sessionProperties.sessionId],
  ['session_name', sessionProperties.sessionName],
  ['session_path', sessionProperties.sessionPath],
] as const;

const repeatedBy: ReadonlyMap<string, string> = new Map([
  ...sessionFields.map(([field, property]) => [property, field] as const),
  [promptIdProperty, 'prompt_id'],
]);

/** Items of other services name the session only among the properties, and the session's columns follow those. */
export function tagsOfItem(fields: ItemFields): ItemTags {
  const shown = fields.properties(fields.isAbsent('properties') ? 'request_properties' : 'properties');
  const { properties, isAliased } = namedAsStored(shown, fields);
  for (const [field, name] of sessionFields) {
    const stated = fields.text(field);
    if (stated !== '' && !properties.has(name)) properties.set(name, stated);
  }
  const sessionId = properties.get(sessionProperties.sessionId) ?? '';
  const promptIdOfProperties = fields.value('prompt_id') === undefined ? (properties.get(promptIdProperty) ?? '') : '';
  return { properties, aliasedNames: isAliased, sessionId, promptIdOfProperties };
}

/**
 * Properties under the names that the store has. The store keeps our name of a session's or prompt's property, and whether an item shows
 * the upstream one. Where the item would be shown in another way then, its properties are kept as they are.
 */
function namedAsStored(shown: Map<string, string>, fields: ItemFields): { properties: Map<string, string>; isAliased: boolean } {
  const asIs = { properties: shown, isAliased: false };
  const renamed = (name: string): string => {
    const ours = aliasOf(name);
    return ours !== undefined && !shown.has(ours) && isStated(ours, shown.get(name) ?? '', fields) ? ours : name;
  };
  const properties = new Map([...shown].map(([name, value]) => [renamed(name), value]));
  if ([...shown.keys()].every((name) => properties.has(name))) return asIs;
  const again = Object.entries(shownProperties(Object.fromEntries(properties), true));
  const isSame = again.length === shown.size && again.every(([name, value]) => shown.get(name) === value);
  return isSame ? { properties, isAliased: true } : asIs;
}

/** Whether the field that repeats a property agrees with it; items of other services do not have the field. */
function isStated(property: string, value: string, fields: ItemFields): boolean {
  const field = repeatedBy.get(property);
  const stated = field === undefined ? undefined : fields.value(field);
  return stated === undefined || (stated ?? '') === value;
}
