const usuallyKeptBytes = 128 * 1024 * 1024;

/**
 * Reusable memory for rows. It is shared, so another thread reads the rows in place.
 * TRICKY: V8 counts other memory towards the heap of the thread that holds it. Tens of megabytes per batch made both threads collect their
 * old generation once a batch; shared memory is not counted. It must be released, therefore: V8 finds lost pieces only when it collects
 * for another reason.
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
  take(bytes: number): SharedArrayBuffer {
    const spare = this.spare.findIndex(({ byteLength }) => byteLength >= bytes);
    if (spare === -1) return allocated(bytes);
    const [piece = allocated(bytes)] = this.spare.splice(spare, 1);
    this.spareBytes -= piece.byteLength;
    return piece;
  }

  /** Call it once nobody reads rows from these pieces. */
  release(pieces: readonly SharedArrayBuffer[]): void {
    for (const piece of pieces) {
      if (this.spareBytes + piece.byteLength > this.maxKeptBytes) continue;
      this.spare.push(piece);
      this.spareBytes += piece.byteLength;
    }
  }
}

function allocated(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes);
  } catch (cause) {
    throw Object.assign(new Error(`no memory for ${bytes} bytes of rows`, { cause }), { code: 'ENOMEM', syscall: 'malloc' });
  }
}
