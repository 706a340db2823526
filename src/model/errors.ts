/**
 * Every failure that a caller can see: one stable code, one HTTP status.
 * Both doors read this table: `api/problem.ts` answers in the API's envelope, `gateway/refusal.ts` in OpenAI's error shape.
 */
export const errorStatuses = {
  malformed_json: 400,
  malformed_request: 400,
  missing_key: 401,
  invalid_key: 401,
  wrong_region: 401,
  no_provider_key: 401,
  permission_denied: 403,
  not_found: 404,
  request_in_flight: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_body: 422,
  invalid_filter: 422,
  invalid_directive: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  provider_unreachable: 502,
  store_unavailable: 503,
  shutting_down: 503,
  metadata_unavailable: 503,
  provider_timeout: 504,
  query_timeout: 504,
  query_too_large: 422,
} as const satisfies Record<string, number>;

/** A stable, documented error code; clients may switch on it. */
export type ErrorCode = keyof typeof errorStatuses;

/** Where in the caller's input the fault is: a JSON path such as `filter.left.request_response_rmt`, plus what helps to mend it. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * A failure with a public sentence. `message` says what is wrong and what to write instead and never holds SQL, a path of the server or a
 * secret; what an operator needs travels in `cause`, which no door ever prints to a caller.
 */
export class GatelogError extends Error {
  override readonly name = 'GatelogError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }

  /** HTTP status of this error. */
  get status(): number {
    return errorStatuses[this.code];
  }
}

/** The text of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
