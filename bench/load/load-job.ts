import type { LatencySummary } from './latency-histogram.ts';
import type { GapSummary } from './stream-gaps.ts';

/**
 * One run. A closed loop, where every connection sends its next request when the reply to the last one is whole; or, with a rate, an open one
 * as far as its connections reach: requests are due at even intervals, and one that is late goes out as soon as a connection is free.
 */
export interface LoadJob {
  readonly port: number;
  /** A whole HTTP request as Latin-1 text, sent again and again. */
  readonly request: string;
  readonly connections: number;
  /** Null: a closed loop. */
  readonly requestsPerSecond: number | null;
  /** No request begins later than this; those under way are waited for. */
  readonly durationMs: number;
  readonly maximumRequests: number;
  /** A 200 with a shorter body is an error. */
  readonly minimumBodyBytes: number;
  /** The reply is a stream whose events say when they were sent: see `stream-gaps.ts`. */
  readonly watchesGaps: boolean;
}

export interface LoadResult {
  /** Replies with status 200 and a whole body. */
  readonly responses: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly elapsedMs: number;
  readonly requestsPerSecond: number;
  /** Whole replies in each second of the run. */
  readonly repliesEachSecond: readonly number[];
  /** From sending the request to the last byte of the reply. */
  readonly whole: LatencySummary;
  /** From sending the request to the first byte of the reply's body. */
  readonly firstByte: LatencySummary;
  /** Null where they were not watched. */
  readonly gaps: GapSummary | null;
}

export function isLoadJob(message: unknown): message is LoadJob {
  return typeof message === 'object' && message !== null && 'port' in message && 'request' in message && 'connections' in message;
}

export function isLoadResult(message: unknown): message is LoadResult {
  return typeof message === 'object' && message !== null && 'responses' in message && 'firstByte' in message;
}
