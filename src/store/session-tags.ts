import { type OrganizationId, uuidToNumber } from '../model/ids.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { timeText } from './tables/time-text.ts';

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

/** Makes the function that tags sessions. @throws (from it) GatelogError when the store fails. */
export function makeSetSessionTag(connections: Connections): SetSessionTag {
  return async ({ organizationId, sessionId, tag, keyId, acceptedAt, number }) => {
    const row = {
      org_id: uuidToNumber(organizationId).toString(),
      session_id: sessionId,
      number,
      changed_at: timeText(acceptedAt),
      key_id: keyId,
      tag,
    };
    try {
      await connections.run('history', async (client) => {
        await client.insert({ table: 'session_tags', values: [row], format: 'JSONEachRow', clickhouse_settings: { async_insert: 0 } });
      });
    } catch (error) {
      throw storeFailure(error);
    }
  };
}
