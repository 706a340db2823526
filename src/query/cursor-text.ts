import { bodyFault, type Result, success } from '../model/fault.ts';
import { fingerprint } from '../model/fingerprint.ts';
import { isJsonObject, type JsonObject, parseJson } from '../model/text.ts';

/** Maximum bytes of the texts in a cursor: clients accept headers of 16 KiB in all. */
export const maxCursorTextBytes = 3 * 1024;

/** Maximum length of a cursor; none of ours is longer. */
const maxLength = 16 * 1024;
const notOurs = '`cursor` is not one that was given here. Send the value of the response header svc-next-cursor as it was.';

/** The text of a cursor. @param query identifies the query, the only one that accepts the cursor. */
export function writeCursor(query: readonly unknown[], position: JsonObject): string {
  return Buffer.from(JSON.stringify({ v: 1, q: markOf(query), ...position })).toString('base64url');
}

interface CursorReader<Position> {
  readonly query: readonly unknown[];
  /** The error for the cursor of another query. */
  readonly otherQuery: string;
  /** @returns undefined for an invalid position. */
  readonly positionOf: (position: JsonObject) => Position | undefined;
}

/** Parses a caller's cursor. */
export function readCursor<Position>(text: string, { query, otherQuery, positionOf }: CursorReader<Position>): Result<Position> {
  const decoded = text.length > maxLength ? undefined : parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(decoded) || decoded['v'] !== 1) return bodyFault(['cursor'], notOurs);
  if (decoded['q'] !== markOf(query)) return bodyFault(['cursor'], otherQuery);
  const position = positionOf(decoded);
  return position === undefined ? bodyFault(['cursor'], notOurs) : success(position);
}

function markOf(query: readonly unknown[]): string {
  return fingerprint(JSON.stringify(query));
}
