import type { Result } from '../../contract/fault.ts';
import { fingerprint } from '../../model/fingerprint.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { bodyFault, success } from '../outcome.ts';
import type { SessionQueryStatement } from './question.ts';

/** The last session of a page: its start and identifier. */
export interface SessionPosition {
  /** Unix milliseconds. */
  readonly createdMs: number;
  readonly sessionId: string;
}

/** Bytes of an identifier in a cursor: clients accept headers of 16 KiB in all. */
const maxCursorBytes = 3 * 1024;
/** Maximum length of a cursor; none of ours is longer. */
const maxCursor = 16 * 1024;
const notOurs = '`cursor` is not one that was given here. Send the value of the response header svc-next-cursor as it was.';
const otherQuery = '`cursor` belongs to another query. Send it with the filter, range and search that gave it, or begin without it.';

/** The cursor behind a session. @returns undefined when its identifier is too long for a header. */
export function cursorBehindSession(question: SessionQueryStatement, { createdMs, sessionId }: SessionPosition): string | undefined {
  if (Buffer.byteLength(JSON.stringify(sessionId)) > maxCursorBytes) return undefined;
  return Buffer.from(JSON.stringify({ v: 1, q: markOf(question), a: createdMs, i: sessionId })).toString('base64url');
}

/** Parses a caller's cursor. */
export function parseSessionCursor(text: string, question: SessionQueryStatement): Result<SessionPosition> {
  const decoded = text.length > maxCursor ? undefined : parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(decoded) || decoded['v'] !== 1) return bodyFault(['cursor'], notOurs);
  if (decoded['q'] !== markOf(question)) return bodyFault(['cursor'], otherQuery);
  const { a: createdMs, i: sessionId } = decoded;
  if (!Number.isSafeInteger(createdMs) || typeof sessionId !== 'string') return bodyFault(['cursor'], notOurs);
  return success({ createdMs: createdMs as number, sessionId });
}

/** The condition for sessions behind a cursor. @param createdAt the start of a session, as SQL over its group. */
export function behindSession({ createdMs, sessionId }: SessionPosition, createdAt: Fragment): Fragment {
  const at = sql`fromUnixTimestamp64Milli(${param(createdMs, 'Int64')}, 'UTC')`;
  return sql`(${createdAt} < ${at} OR (${createdAt} = ${at} AND session_id > ${param(sessionId, 'String')}))`;
}

function markOf({ tenant, range, filter }: SessionQueryStatement): string {
  return fingerprint(JSON.stringify(['sessions', tenant, range.from ?? null, range.to ?? null, filter]));
}
