import type { Tags } from '../../model/record/exchange.ts';
import { promptIdProperty } from '../../model/vocabulary/property-alias.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';

const sessionTags = ['sessionId', 'sessionName', 'sessionPath'] as const;

/**
 * The properties of a record: the caller's tags, then the session headers, and the prompt's identifier of a client that looks for it there.
 * @param declaredNames declared names by their lower-case form: a header whose case was lost on the way is stored under its declared name.
 */
export function propertiesOf(tags: Tags, declaredNames: ReadonlyMap<string, string>): Map<string, string> {
  const properties = new Map<string, string>();
  for (const { name, value, lowered } of tags.properties) {
    const stored = lowered === true ? (declaredNames.get(name.toLowerCase()) ?? name) : name;
    // Deleting first keeps "the last wins" also for the order of names.
    properties.delete(stored);
    properties.set(stored, value);
  }
  for (const tag of sessionTags) {
    const value = tags[tag];
    if (value !== undefined) properties.set(sessionProperties[tag], value);
  }
  if (tags.aliasedNames === true && tags.promptId !== undefined) properties.set(promptIdProperty, tags.promptId);
  return properties;
}

/** The session that the caller's tags name, empty without one: what {@link propertiesOf} leads to, without the rest of it. */
export function sessionIdOf({ sessionId, properties }: Tags): string {
  return sessionId ?? properties.findLast(({ name }) => name === sessionProperties.sessionId)?.value ?? '';
}
