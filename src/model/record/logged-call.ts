import type { RequestId } from '../ids.ts';
import type { Principal } from '../principal.ts';
import type { Tags } from './exchange.ts';

/** A call that did not pass through the gateway, as its sender tells it. */
export interface LoggedCall {
  /** The sender's own; absent: a fresh one. A repetition has the same. */
  readonly requestId: RequestId | undefined;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** Milliseconds since `startedAt`. */
  readonly firstTokenMs: number | undefined;
  readonly method: string;
  /** As a path of the provider's API, so that its parser understands the bodies. */
  readonly path: string;
  /** Registry name. */
  readonly provider: string;
  readonly targetUrl: string;
  readonly model: string | undefined;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly tags: Tags;
  readonly requestBody: Uint8Array;
  readonly response: LoggedResponse;
}

export interface LoggedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What became of one: its record is durable in the spool. Whether it is a repetition is decided when it is stored. */
export interface LoggedOutcome {
  readonly requestId: RequestId;
}

/** Returns when all of them are durable in the spool. Throws when not all are; sending all again adds none twice. */
export type LogCalls = (owner: Principal, calls: readonly LoggedCall[]) => Promise<readonly LoggedOutcome[]>;
