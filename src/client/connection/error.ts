import type { ApiErrorCode } from '../../model/errors.ts';

/** Why there is no answer of the service to tell of. */
export type CallFailure =
  /** Nothing answers at the address. */
  | 'unreachable'
  /** The time limit of the call passed. */
  | 'timed_out'
  /** The connection broke in the middle of an answer. */
  | 'broken_off'
  /** What answers is another program. */
  | 'not_gatelog';

export interface ApiErrorFacts {
  /** Method and path, such as `POST /v1/request/query-clickhouse`. */
  readonly endpoint: string;
  readonly code: string;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly hint?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A call that failed. Its message is a sentence that says what is wrong and what to write instead. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Method and path, such as `POST /v1/request/query-clickhouse`. */
  readonly endpoint: string;
  /** Stable; a later service may know more. */
  readonly code: ApiErrorCode | CallFailure | (string & {});
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** The place of the mistake and what helps to fix it. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What of the call was ignored. */
  readonly warnings: readonly string[];
  /** What else the service says. */
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { endpoint, code, status, details, warnings, hint, retryAfterSeconds, cause }: ApiErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.endpoint = endpoint;
    this.code = code;
    this.status = status;
    this.details = details ?? {};
    this.warnings = warnings ?? [];
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The place of the mistake in the body, such as `filter.left.request_response_rmt.cost`. */
  get place(): string | undefined {
    const { path } = this.details;
    return typeof path === 'string' ? path : undefined;
  }

  /** Whether the same call may succeed later: the service or a part of it is away. */
  get isAway(): boolean {
    return this.status === 503 || ['unreachable', 'timed_out', 'broken_off'].includes(this.code);
  }
}
