const usuallyKeptBytes = 128 * 1024 * 1024;

/**
 * Memory for rows that is used again. It is shared, so that another thread reads the rows where they were written.
 * TRICKY: V8 counts other memory as part of the heap of the thread that holds it. With each batch that comes to tens of megabytes, for which it collected
 * the old generation of both threads once a batch; shared memory it does not count. So it has to be given back: what is not is only found when V8
 * collects for another reason.
 */
export class RowMemory {
  private readonly maxKeptBytes: number;
  private readonly spare: SharedArrayBuffer[] = [];
  private spareBytes = 0;

  /** @param maxKeptBytes are kept to be used again; what is given back beyond them is garbage. */
  constructor(maxKeptBytes: number = usuallyKeptBytes) {
    this.maxKeptBytes = maxKeptBytes;
  }

  /** @returns at least so many bytes. @throws Error with the code ENOMEM, as the system says it, where there is no memory. */
  take(bytes: number): SharedArrayBuffer {
    const place = this.spare.findIndex(({ byteLength }) => byteLength >= bytes);
    if (place === -1) return allocated(bytes);
    const [piece = allocated(bytes)] = this.spare.splice(place, 1);
    this.spareBytes -= piece.byteLength;
    return piece;
  }

  /** Takes pieces back in which nobody will look for rows any more. */
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
