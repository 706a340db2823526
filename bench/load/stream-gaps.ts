import { LatencyHistogram } from './latency-histogram.ts';

/** The gaps between the events of streams, as their provider made them and as their reader saw them. */
export interface GapSummary {
  readonly streams: number;
  /** The longest of all streams. */
  readonly longestSentMs: number;
  readonly longestSeenMs: number;
  /** By how much the longest gap that a stream's reader saw was longer than the longest that its provider made: the median stream and the worst. */
  readonly excessP50Ms: number;
  readonly excessMaximumMs: number;
}

const stampPattern = /"sent_us":(\d+),/g;
/** A stamp may be cut in two by the network; so much of its bytes is kept until the rest comes. */
const mostStampBytes = 40;

/** Watches the events of one stream at a time, each of which says when it was sent (`stampedEvent`). */
export class StreamGaps {
  longestSentMs = 0;
  longestSeenMs = 0;
  #sentMs: number | null = null;
  #seenMs = 0;
  #rest = '';

  /** A new stream begins. */
  begin(): void {
    this.longestSentMs = 0;
    this.longestSeenMs = 0;
    this.#sentMs = null;
    this.#rest = '';
  }

  /** @param nowMs when the bytes came, by any clock. */
  see(bytes: Buffer, nowMs: number): void {
    const text = this.#rest + bytes.toString('latin1');
    let readTo = 0;
    for (const match of text.matchAll(stampPattern)) {
      this.#event(Number(match[1]) / 1000, nowMs);
      readTo = match.index + match[0].length;
    }
    this.#rest = text.slice(Math.max(readTo, text.length - mostStampBytes));
  }

  #event(sentMs: number, nowMs: number): void {
    if (this.#sentMs !== null) {
      this.longestSentMs = Math.max(this.longestSentMs, sentMs - this.#sentMs);
      this.longestSeenMs = Math.max(this.longestSeenMs, nowMs - this.#seenMs);
    }
    this.#sentMs = sentMs;
    this.#seenMs = nowMs;
  }
}

/** Adds up streams that have ended. */
export class GapTotals {
  readonly #excess = new LatencyHistogram();
  #streams = 0;
  #longestSentMs = 0;
  #longestSeenMs = 0;

  add({ longestSentMs, longestSeenMs }: StreamGaps): void {
    this.#streams += 1;
    this.#longestSentMs = Math.max(this.#longestSentMs, longestSentMs);
    this.#longestSeenMs = Math.max(this.#longestSeenMs, longestSeenMs);
    this.#excess.record(Math.max(0, longestSeenMs - longestSentMs));
  }

  summary(): GapSummary {
    const { p50Micros, maximumMicros } = this.#excess.summary();
    return {
      streams: this.#streams,
      longestSentMs: this.#longestSentMs,
      longestSeenMs: this.#longestSeenMs,
      excessP50Ms: p50Micros / 1000,
      excessMaximumMs: maximumMicros / 1000,
    };
  }
}
