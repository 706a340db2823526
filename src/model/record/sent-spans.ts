import type { Principal } from '../principal.ts';
import type { Signal } from '../vocabulary/log-paths.ts';

/** A request of OTLP as it came. */
export interface SentSpans {
  /** What the path says that it holds. */
  readonly holds: Signal;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Aborts when the sender has left. */
  readonly signal?: AbortSignal | undefined;
}

export interface SpansResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** After which the sender may try again. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Takes spans; a failure is a response too, in the encoding that the protocol has for it. Never rejects. */
export type TakeSpans = (owner: Principal, sent: SentSpans) => Promise<SpansResponse>;
