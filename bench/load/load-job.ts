import type { LatencySummary } from './latency-histogram.ts';
import type { GapSummary } from './stream-gaps.ts';

/**
 * One run. In a closed loop every connection sends its next request when the previous response is complete. With a rate the loop is open
 * as far as its connections reach: requests are due at even intervals, and a late one goes out as soon as a connection is free.
 */
export interface LoadJob {
  readonly port: number;
  /** A whole HTTP request as Latin-1 text, sent repeatedly. */
  readonly request: string;
  readonly connections: number;
  /** Null: a closed loop. */
  readonly requestsPerSecond: number | null;
  /** No request begins later than this; those in flight may end. */
  readonly durationMs: number;
  readonly maximumRequests: number;
  /** A 200 with a shorter body is an error. */
  readonly minimumBodyBytes: number;
  /** The response is a stream whose events carry the time of their sending: see `stream-gaps.ts`. */
  readonly watchesGaps: boolean;
}

export interface LoadResult {
  /** Complete responses with status 200. */
  readonly responses: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly elapsedMs: number;
  readonly requestsPerSecond: number;
  /** Complete responses in each second of the run. */
  readonly repliesEachSecond: readonly number[];
  /** From sending the request to the last byte of the response. */
  readonly whole: LatencySummary;
  /** From sending the request to the first byte of the response's body. */
  readonly firstByte: LatencySummary;
  /** Null where gaps were not measured. */
  readonly gaps: GapSummary | null;
}

export function isLoadJob(message: unknown): message is LoadJob {
  return typeof message === 'object' && message !== null && 'port' in message && 'request' in message && 'connections' in message;
}

export function isLoadResult(message: unknown): message is LoadResult {
  return typeof message === 'object' && message !== null && 'responses' in message && 'firstByte' in message;
}
