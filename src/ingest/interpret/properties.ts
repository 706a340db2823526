import type { Tags } from '../../model/record/exchange.ts';
import { promptIdProperty } from '../../model/vocabulary/property-alias.ts';
import type { RequestFields } from '../../providers/format/provider.ts';
import { sessionOfCacheKey } from '../../model/vocabulary/agent-sessions.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';

const sessionTags = ['sessionId', 'sessionName', 'sessionPath'] as const;

/**
 * The properties of a record: the caller's tags, the session headers, and the prompt's identifier for clients that expect it there.
 * @param declaredNames by their lower-case form: a header whose case was lost in transit is stored under its declared name.
 */
export function propertiesOf(tags: Tags, declaredNames: ReadonlyMap<string, string>): Map<string, string> {
  const properties = new Map<string, string>();
  for (const { name, value, lowered } of tags.properties) {
    const stored = lowered === true ? (declaredNames.get(name.toLowerCase()) ?? name) : name;
    // Deleting first applies "the last wins" to the order of names too.
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

/** The session named by the caller's tags, empty without one; equal to that of {@link propertiesOf}. */
export function sessionIdOf({ sessionId, properties }: Tags): string {
  return sessionId ?? properties.findLast(({ name }) => name === sessionProperties.sessionId)?.value ?? '';
}

/** The tags with the session that a coding agent names in its body, where no header names one. */
export function withAgentSession(tags: Tags, { cacheKey }: Pick<RequestFields, 'cacheKey'>): Tags {
  if (cacheKey === undefined || cacheKey === '' || sessionIdOf(tags) !== '') return tags;
  const session = sessionOfCacheKey(cacheKey);
  return session === undefined ? tags : { ...session, ...tags };
}
