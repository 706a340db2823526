import { LatencyHistogram } from './latency-histogram.ts';

/** The gaps between the events of streams, as the provider sent them and as the reader received them. */
export interface GapSummary {
  readonly streams: number;
  /** The longest of all streams. */
  readonly maxSentMs: number;
  readonly maxSeenMs: number;
  /** The longest gap that a stream's reader saw minus the longest gap that its provider made: the median stream and the worst. */
  readonly excessP50Ms: number;
  readonly excessMaximumMs: number;
}

const stampPattern = /"sent_us":(\d+),/g;
/** The network may split a stamp; at most this many of its bytes are held until the rest comes. */
const maxStampBytes = 40;

/** Measures the events of one stream at a time. Each event carries the time of its sending (`stampedEvent`). */
export class StreamGaps {
  maxSentMs = 0;
  maxSeenMs = 0;
  private sentMs: number | null = null;
  private seenMs = 0;
  private rest = '';

  /** Begins a new stream. */
  begin(): void {
    this.maxSentMs = 0;
    this.maxSeenMs = 0;
    this.sentMs = null;
    this.rest = '';
  }

  /** @param nowMs when the bytes arrived, by any clock. */
  see(bytes: Buffer, nowMs: number): void {
    const text = this.rest + bytes.toString('latin1');
    let readTo = 0;
    for (const match of text.matchAll(stampPattern)) {
      this.event(Number(match[1]) / 1000, nowMs);
      readTo = match.index + match[0].length;
    }
    this.rest = text.slice(Math.max(readTo, text.length - maxStampBytes));
  }

  private event(sentMs: number, nowMs: number): void {
    if (this.sentMs !== null) {
      this.maxSentMs = Math.max(this.maxSentMs, sentMs - this.sentMs);
      this.maxSeenMs = Math.max(this.maxSeenMs, nowMs - this.seenMs);
    }
    this.sentMs = sentMs;
    this.seenMs = nowMs;
  }
}

/** Sums up streams that have ended. */
export class GapTotals {
  private readonly excess = new LatencyHistogram();
  private streams = 0;
  undefined = 0;
  private longestSeenMs = 0;

  add({ maxSentMs, maxSeenMs }: StreamGaps): void {
    this.streams += 1;
    this.undefined = Math.max(this.undefined, maxSentMs);
    this.longestSeenMs = Math.max(this.longestSeenMs, maxSeenMs);
    this.excess.record(Math.max(0, maxSeenMs - maxSentMs));
  }

  summary(): GapSummary {
    const { p50Micros, maximumMicros } = this.excess.summary();
    return {
      streams: this.streams,
      maxSentMs: this.undefined,
      maxSeenMs: this.longestSeenMs,
      excessP50Ms: p50Micros / 1000,
      excessMaximumMs: maximumMicros / 1000,
    };
  }
}
