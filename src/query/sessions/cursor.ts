import type { Result } from '../../model/fault.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { dateTime64 } from '../../sql/time.ts';
import { maxCursorTextBytes, readCursor, writeCursor } from '../cursor-text.ts';
import type { SessionSelection } from './selection.ts';

/** The last session of a page: its start and identifier. */
export interface SessionPosition {
  /** Unix milliseconds. */
  readonly createdMs: number;
  readonly sessionId: string;
}

const otherQuery = '`cursor` belongs to another query. Send it with the filter, range and search that gave it, or begin without it.';

/** The cursor behind a session. @returns undefined when its identifier is too long for a header. */
export function cursorBehindSession(selection: SessionSelection, { createdMs, sessionId }: SessionPosition): string | undefined {
  if (Buffer.byteLength(JSON.stringify(sessionId)) > maxCursorTextBytes) return undefined;
  return writeCursor(identityOf(selection), { a: createdMs, i: sessionId });
}

export function parseSessionCursor(text: string, selection: SessionSelection): Result<SessionPosition> {
  return readCursor(text, {
    query: identityOf(selection),
    otherQuery,
    positionOf: ({ a: createdMs, i: sessionId }) =>
      typeof createdMs === 'number' && Number.isSafeInteger(createdMs) && typeof sessionId === 'string'
        ? { createdMs, sessionId }
        : undefined,
  });
}

/** The condition for sessions behind a cursor. @param createdAt the start of a session, as SQL over its group. */
export function behindSession({ createdMs, sessionId }: SessionPosition, createdAt: Fragment): Fragment {
  const at = dateTime64(createdMs);
  return sql`(${createdAt} < ${at} OR (${createdAt} = ${at} AND session_id > ${param(sessionId, 'String')}))`;
}

function identityOf({ tenant, range, filter }: SessionSelection): readonly unknown[] {
  return ['sessions', tenant, range.from ?? null, range.to ?? null, filter];
}
