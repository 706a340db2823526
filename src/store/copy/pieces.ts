import { type Digest, isSame, type Slice } from './digests.ts';

/** A stretch of time in which one of both stores has rows. */
export interface Piece extends Slice {
  /** Of the source. */
  readonly rows: number;
  /** Of the source; 0 where it has no rows. */
  readonly bytes: number;
  /** Bytes of the source's largest row. */
  readonly largest: number;
  readonly isEqual: boolean;
  /** The copy has rows in it. */
  readonly isReplaced: boolean;
}

/** Both stores side by side, in the order of time. */
export function piecesOf(here: ReadonlyMap<number, Digest>, there: ReadonlyMap<number, Digest>, widthMs: number): readonly Piece[] {
  return [...new Set([...here.keys(), ...there.keys()])]
    .toSorted((one, other) => one - other)
    .map((from) => ({
      from,
      to: from + widthMs,
      rows: here.get(from)?.rows ?? 0,
      bytes: here.get(from)?.bytes ?? 0,
      largest: here.get(from)?.largest ?? 0,
      isEqual: isSame(here.get(from), there.get(from)),
      isReplaced: there.has(from),
    }));
}

/**
 * Neighbours that differ as one piece, up to so many bytes: each insert makes a part, and a store takes only so many parts. Between two
 * neighbours neither store has rows.
 */
export function joinedPieces(pieces: readonly Piece[], maxBytes: number): readonly Piece[] {
  const joined: Piece[] = [];
  let isOpen = false;
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (!piece.isEqual && isOpen && before !== undefined && before.bytes + piece.bytes <= maxBytes) {
      joined[joined.length - 1] = {
        from: before.from,
        to: piece.to,
        rows: before.rows + piece.rows,
        bytes: before.bytes + piece.bytes,
        largest: Math.max(before.largest, piece.largest),
        isEqual: false,
        isReplaced: before.isReplaced || piece.isReplaced,
      };
    } else if (!piece.isEqual) {
      joined.push(piece);
    }
    isOpen = !piece.isEqual;
  }
  return joined;
}
