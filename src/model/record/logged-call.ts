import type { RequestId } from '../ids.ts';
import type { Principal } from '../principal.ts';
import type { Tags, TraceContext } from './exchange.ts';

/** A call that did not pass through the gateway, as its sender tells it. */
export interface LoggedCall {
  /** The sender's own; absent: a fresh one. A repetition has the same. */
  readonly requestId: RequestId | undefined;
  /** Unix milliseconds, whole. */
  readonly startedAt: number;
  /** Whole; undefined: not told. */
  readonly elapsedMs: number | undefined;
  /** Whole milliseconds since `startedAt`. */
  readonly firstTokenMs: number | undefined;
  readonly method: string;
  /** As a path of the provider's API, so that its parser understands the bodies. */
  readonly path: string;
  /** Registry name. */
  readonly provider: string;
  /** As told; empty when it was not. */
  readonly targetUrl: string;
  /** Stands in for the model in the request's body. */
  readonly model: string | undefined;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly tags: Tags;
  /** The span that told of it. */
  readonly trace?: TraceContext | undefined;
  readonly requestBody: Uint8Array;
  readonly response: LoggedResponse;
}

export interface LoggedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What became of one: it is durable in the spool. Whether it is a repetition is decided when it is stored. */
export interface LoggedOutcome {
  readonly requestId: RequestId;
}

/**
 * Returns when all of them are durable in the spool; outcomes in their order. @throws GatelogError `spool_unavailable` when not all are:
 * to send all of them again adds none twice that has an identifier.
 */
export type LogCalls = (owner: Principal, calls: readonly LoggedCall[]) => Promise<readonly LoggedOutcome[]>;
