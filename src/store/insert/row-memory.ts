const usuallyKeptBytes = 128 * 1024 * 1024;
/** Larger pieces hold one very large row each, and are rare. */
const largeBytes = 8 * 1024 * 1024;

/** Memory of rows: shared and given back after use, or, for a very large row, moved to the thread that reads it. */
export type RowPiece = SharedArrayBuffer | ArrayBuffer;

/**
 * Reusable memory for rows. It is shared, so another thread reads the rows in place.
 * TRICKY: V8 counts other memory towards the heap of the thread that holds it. Tens of megabytes per batch made both threads collect their
 * old generation once a batch; shared memory is not counted. It must be released, therefore: V8 finds lost pieces only when it collects
 * for another reason. A piece for a very large row is not shared, so that it is gone soon after its use: kept for the next one, it would
 * hold its memory for hours.
 */
export class RowMemory {
  private readonly maxKeptBytes: number;
  private readonly spare: SharedArrayBuffer[] = [];
  private spareBytes = 0;

  /** @param maxKeptBytes kept for reuse; pieces released beyond them become garbage. */
  constructor(maxKeptBytes: number = usuallyKeptBytes) {
    this.maxKeptBytes = maxKeptBytes;
  }

  /** @returns at least these bytes. @throws Error with the system's code ENOMEM when memory is lacking. */
  take(bytes: number): RowPiece {
    if (bytes > largeBytes) return allocated(() => new ArrayBuffer(bytes), bytes);
    const spare = this.spare.findIndex(({ byteLength }) => byteLength >= bytes);
    if (spare === -1) return shared(bytes);
    const [piece = shared(bytes)] = this.spare.splice(spare, 1);
    this.spareBytes -= piece.byteLength;
    return piece;
  }

  /** Call it once nobody reads rows from these pieces. */
  release(pieces: readonly RowPiece[]): void {
    for (const piece of pieces) {
      if (piece instanceof ArrayBuffer || this.spareBytes + piece.byteLength > this.maxKeptBytes) continue;
      this.spare.push(piece);
      this.spareBytes += piece.byteLength;
    }
  }
}

function shared(bytes: number): SharedArrayBuffer {
  return allocated(() => new SharedArrayBuffer(bytes), bytes);
}

function allocated<Piece extends RowPiece>(make: () => Piece, bytes: number): Piece {
  try {
    return make();
  } catch (cause) {
    throw Object.assign(new Error(`no memory for ${bytes} bytes of rows`, { cause }), { code: 'ENOMEM', syscall: 'malloc' });
  }
}
