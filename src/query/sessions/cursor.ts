import type { Result } from '../../model/fault.ts';
import { maxCursorTextBytes, readCursor, writeCursor } from '../cursor-text.ts';
import { isPositionOf, type PositionCells, positionOf, type SessionPosition, type SessionSortTerm } from './order.ts';
import type { SessionSelection } from './selection.ts';

const otherQuery = '`cursor` belongs to another query. Send it with the filter, range, search and sort that gave it, or begin without it.';

/** What a cursor belongs to. */
export type SortedSelection = SessionSelection & { readonly sort: readonly SessionSortTerm[] };

/** The cursor behind a session. @returns undefined when its identifier is too long for a header. */
export function cursorBehindSession(selection: SortedSelection, row: PositionCells): string | undefined {
  const { values, sessionId } = positionOf(selection.sort, row);
  if (Buffer.byteLength(JSON.stringify(sessionId)) > maxCursorTextBytes) return undefined;
  return writeCursor(identityOf(selection), { s: values, i: sessionId });
}

export function parseSessionCursor(text: string, selection: SortedSelection): Result<SessionPosition> {
  return readCursor(text, {
    query: identityOf(selection),
    otherQuery,
    positionOf: ({ s: values, i: sessionId }) => {
      if (typeof sessionId !== 'string' || !Array.isArray(values) || !values.every((value) => typeof value === 'string')) return undefined;
      const position: SessionPosition = { values, sessionId };
      return isPositionOf(selection.sort, position) ? position : undefined;
    },
  });
}

function identityOf({ tenant, range, filter, sort }: SortedSelection): readonly unknown[] {
  return ['sessions', tenant, range.from ?? null, range.to ?? null, filter, sort];
}
