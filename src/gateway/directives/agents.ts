import { exceedsBytes, wellFormed } from '../../model/text.ts';
import { type AgentHeader, agentHeaders, sessionOfTitle, sessionPathOf } from '../../model/vocabulary/agent-sessions.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { headerText } from '../http/headers.ts';
import { type AgentDraft, type Draft, tooLongWarning, warn } from './values.ts';

export const agentHeaderRows: ReadonlyMap<string, AgentHeader> = new Map(agentHeaders.map((row) => [row.name, row]));

/** Reads a header of a coding agent, which goes on to the provider too. */
export function readAgentHeader(draft: Draft, row: AgentHeader, value: string): void {
  const text = wellFormed(headerText(value)).trim();
  if (text === '') return;
  if (exceedsBytes(text, textLimits.identifierBytes)) {
    warn(draft, tooLongWarning(row.name, textLimits.identifierBytes));
    return;
  }
  draft.agent ??= new Map();
  const known = draft.agent.get(row.tells);
  if (known === undefined || agentHeaders.indexOf(row) <= agentHeaders.indexOf(known.row)) draft.agent.set(row.tells, { row, text });
}

/**
 * Takes session, path and properties from a coding agent's headers, where the caller has not given them by headers of ours.
 * @param addProperty keeps the limits of properties.
 */
export function finishAgent(draft: Draft, agent: AgentDraft, addProperty: (name: string, value: string) => void): void {
  const named = agent.get('session')?.text;
  const titled = named === undefined ? undefined : sessionOfTitle(named);
  for (const [tells, { text }] of agent) {
    if (typeof tells === 'object' && !draft.properties.has(tells.property)) addProperty(tells.property, text);
  }
  if (titled !== undefined && !draft.properties.has('Request-Class')) addProperty('Request-Class', 'title');
  nameSession(draft, agent, titled ?? named);
}

function nameSession(draft: Draft, agent: AgentDraft, session: string | undefined): void {
  const { tags, properties } = draft;
  if (tags.sessionId !== undefined || properties.has(sessionProperties.sessionId)) return;
  const [root, parent, thread] = (['root', 'parent', 'agent'] as const).map((tells) => agent.get(tells)?.text);
  const sessionId = root ?? session ?? thread;
  if (sessionId === undefined) return;
  tags.sessionId = sessionId;
  if (tags.sessionPath !== undefined || properties.has(sessionProperties.sessionPath)) return;
  // The first agent of a session has the session's own identifier, or none.
  const levels = new Set([session, parent, thread].filter((level) => level !== undefined && level !== sessionId)) as ReadonlySet<string>;
  const path = sessionPathOf([...levels]);
  if (exceedsBytes(path, textLimits.identifierBytes)) {
    warn(draft, tooLongWarning("the agent's path in its session", textLimits.identifierBytes));
  } else if (levels.size > 0) tags.sessionPath = path;
}
