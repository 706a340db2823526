import { surfaceBounds } from '../../model/record/surface-bounds.ts';

/**
 * Limits of one request. Beyond a span's own limit that span is rejected, beyond the number of spans those that follow. The size of a whole
 * request is a setting.
 */
export const spanLimits = {
  spans: 10_000,
  attributes: 4096,
  events: 2048,
  /** Levels of lists and objects in a value. */
  depth: 32,
  /** Bytes of a span's name in UTF-8. */
  nameBytes: 8 * 1024,
} as const;

/** Reasons that a response names, and characters of one. */
export const reasonLimits = { reasons: 10, characters: 300 } as const;

/** Why one span is not taken. */
export class SpanFault extends Error {}

/** The whole request is no OTLP. */
export class MalformedSpans extends Error {}

/** The request asks for more work or more room than one may. */
export class TooManySpans extends Error {}

/** The work of reading one request. What reads counts what it reads, so that a small body that stands for much is refused early. */
export class SpanWork {
  private parts = 0;
  private readonly isOver: () => boolean;

  /** @param isOver whether the time for it is used up. */
  constructor(isOver: () => boolean = () => false) {
    this.isOver = isOver;
  }

  /** Counts one part of what was sent. @throws TooManySpans. */
  part(): void {
    this.parts += 1;
    if (this.parts > work.parts) throw new TooManySpans(`A request of OTLP has at most ${work.parts} values; send smaller batches.`);
    if (this.parts % partsBetweenLooks === 0) this.pause();
  }

  /** Called between spans. @throws TooManySpans. */
  pause(): void {
    if (this.isOver()) throw new TooManySpans(`Reading the spans took over ${work.cpuMs} ms; send smaller batches.`);
  }
}

const { work } = surfaceBounds.spans;
const partsBetweenLooks = 65_536;
