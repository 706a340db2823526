import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { insertLines } from '../insert/insert.ts';
import { timeText } from '../insert/time-text.ts';

/** A tag that was given to a session. */
export interface SessionTag {
  readonly organizationId: OrganizationId;
  readonly sessionId: string;
  /** Empty: the session has none from now on. */
  readonly tag: string;
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  /** Grows with every tag that is given: the greatest counts. */
  readonly number: number;
}

/** Stores a tag; durable and seen by every later read when it returns. Sending one again changes nothing. */
export type SetSessionTag = (given: SessionTag) => Promise<void>;

const columns = ['org_id', 'session_id', 'number', 'changed_at', 'key_id', 'tag'] as const;

/** Makes the function that tags sessions. @throws (from it) GatelogError when the store fails. */
export function makeSetSessionTag(connections: Connections): SetSessionTag {
  return async ({ organizationId, sessionId, tag, keyId, acceptedAt, number }) => {
    const organization = uuidToNumber(organizationId).toString();
    const line = JSON.stringify([organization, sessionId, number, timeText(acceptedAt), keyId, tag]);
    await insertLines(connections, 'history', { table: 'session_tags', columns, lines: line, token: `tag-${organization}-${number}` });
  };
}
