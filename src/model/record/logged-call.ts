import type { RequestId } from '../ids.ts';
import type { Principal } from '../principal.ts';
import type { LogMetadata, SpanIdentity, Tags, TraceContext } from './exchange.ts';

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
  readonly span?: Omit<SpanIdentity, 'keyId'> | undefined;
  readonly carriers?: LogMetadata['carriers'];
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

/** What calls of one request add to the spool. */
export interface SizeOfCalls {
  readonly bytes: number;
  /** Of each call, Unix milliseconds. */
  readonly startedAt: readonly number[];
}

/** Leave to record the calls of one request. */
export interface LogPermit {
  readonly owner: Principal;
  /** Told of what is written: it waits for the store, in the series that has it. */
  readonly written: (where: { readonly series: string; readonly segment: number; readonly offset: number }) => void;
  /** Told when nothing more of the request is written. */
  readonly end: () => void;
}

/**
 * Gives leave to record calls, once there is room for them. Nothing that did not pass through the gateway is recorded without one, so that
 * whatever takes records inherits the bounds of `model/record/surface-bounds.ts`: an organisation's share of what waits for the store,
 * and of the spool. @throws GatelogError `backlog_full` or `spool_unavailable`; nothing is recorded then.
 */
export type Admit = (owner: Principal, size: SizeOfCalls, signal?: AbortSignal) => Promise<LogPermit>;

/**
 * Returns when all of them are durable in the spool; outcomes in their order. @throws GatelogError `spool_unavailable` when not all are:
 * to send all of them again adds none twice that has an identifier.
 */
export type LogCalls = (permit: LogPermit, calls: readonly LoggedCall[]) => Promise<readonly LoggedOutcome[]>;
