import type { LatencySummary } from './latency-histogram.ts';

/** One closed-loop run: every connection sends its next request when the reply to the last one is whole. */
export interface LoadJob {
  readonly port: number;
  /** A whole HTTP request as Latin-1 text, sent again and again. */
  readonly request: string;
  readonly connections: number;
  /** No request begins later than this; those under way are waited for. */
  readonly durationMs: number;
  readonly maximumRequests: number;
  /** A 200 with a shorter body is an error. */
  readonly minimumBodyBytes: number;
}

export interface LoadResult {
  /** Replies with status 200 and a whole body. */
  readonly replies: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly elapsedMs: number;
  readonly requestsPerSecond: number;
  /** From sending the request to the last byte of the reply. */
  readonly whole: LatencySummary;
  /** From sending the request to the first byte of the reply's body. */
  readonly firstByte: LatencySummary;
}

export function isLoadJob(message: unknown): message is LoadJob {
  return typeof message === 'object' && message !== null && 'port' in message && 'request' in message && 'connections' in message;
}

export function isLoadResult(message: unknown): message is LoadResult {
  return typeof message === 'object' && message !== null && 'replies' in message && 'firstByte' in message;
}
