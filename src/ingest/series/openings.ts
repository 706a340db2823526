import { maxPayloadBytes } from '../../spool/frame.ts';
import type { FrameLocation } from '../../spool/spool.ts';

interface Opening {
  readonly kind: number;
  readonly parts: Buffer[];
  bytes: number;
}

/** More than any gateway writes: the exchange of a longer opening stays unnamed. */
const maxOpeningBytes = 64 * 1024 * 1024;

/** Whether more of the same payload follows: only the last part of a split one is shorter than a frame may be. */
export function isPart({ length }: FrameLocation): boolean {
  return length === maxPayloadBytes;
}

/** Joins openings of exchanges that were split into several frames. */
export class SplitOpenings {
  private readonly openings = new Map<number, Opening>();

  get size(): number {
    return this.openings.size;
  }

  /** @param payload is copied. */
  begin({ stream, kind }: FrameLocation, payload: Buffer): void {
    this.openings.set(stream, { kind, parts: [Buffer.from(payload)], bytes: payload.length });
  }

  /** Takes the next frame of a stream. @returns the complete opening, once, at its last part or at the first frame of another kind. */
  append(frame: FrameLocation, payload: Buffer): Buffer | undefined {
    const opening = this.openings.get(frame.stream);
    if (opening === undefined) return undefined;
    if (frame.kind === opening.kind) {
      opening.parts.push(Buffer.from(payload));
      opening.bytes += payload.length;
      if (opening.bytes > maxOpeningBytes) this.openings.delete(frame.stream);
      if (isPart(frame)) return undefined;
    }
    this.openings.delete(frame.stream);
    return opening.bytes > maxOpeningBytes ? undefined : Buffer.concat(opening.parts);
  }

  remove(stream: number): void {
    if (this.openings.size > 0) this.openings.delete(stream);
  }
}
