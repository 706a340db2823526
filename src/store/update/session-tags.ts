import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { insertLines } from '../insert/insert.ts';
import { timeText } from '../insert/time-text.ts';

export interface SessionTag {
  readonly organizationId: OrganizationId;
  readonly sessionId: string;
  /** Empty: removes the tag. */
  readonly tag: string;
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  /** Grows with every tag; the maximum is in force. */
  readonly number: number;
}

/** Stores a tag; durable and visible to every later read on return. Repeating it changes nothing. */
export type SetSessionTag = (given: SessionTag) => Promise<void>;

const columns = ['org_id', 'session_id', 'number', 'changed_at', 'key_id', 'tag'] as const;

/** @throws (from the function) GatelogError when the store fails. */
export function makeSetSessionTag(connections: Connections): SetSessionTag {
  return async ({ organizationId, sessionId, tag, keyId, acceptedAt, number }) => {
    const organization = uuidToNumber(organizationId).toString();
    const line = JSON.stringify([organization, sessionId, number, timeText(acceptedAt), keyId, tag]);
    await insertLines(connections, 'history', { table: 'session_tags', columns, lines: line, token: `tag-${organization}-${number}` });
  };
}
