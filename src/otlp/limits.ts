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
