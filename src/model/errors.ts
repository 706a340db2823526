import type { RateLimitState } from './rate-limit-headers.ts';

/** The listener that returns an error: the gateway, the API, or both. */
type Door = 'gateway' | 'api';

interface ErrorDefinition {
  readonly status: number;
  readonly doors: readonly [Door, ...Door[]];
}

/**
 * Every error that a caller can see: a stable code, an HTTP status, and the listeners that return it. `api/http/problem.ts` writes it in
 * the API's envelope, `gateway/http/error-response.ts` in OpenAI's error shape.
 */
const errors = {
  malformed_json: { status: 400, doors: ['gateway', 'api'] },
  malformed_request: { status: 400, doors: ['gateway', 'api'] },
  missing_key: { status: 401, doors: ['gateway', 'api'] },
  invalid_key: { status: 401, doors: ['gateway', 'api'] },
  wrong_region: { status: 401, doors: ['gateway', 'api'] },
  no_provider_key: { status: 401, doors: ['gateway'] },
  permission_denied: { status: 403, doors: ['gateway', 'api'] },
  csrf_header_missing: { status: 403, doors: ['api'] },
  target_not_allowed: { status: 403, doors: ['gateway'] },
  not_found: { status: 404, doors: ['gateway', 'api'] },
  unknown_model: { status: 404, doors: ['gateway'] },
  unknown_provider: { status: 404, doors: ['gateway'] },
  request_in_flight: { status: 404, doors: ['api'] },
  method_not_allowed: { status: 405, doors: ['gateway', 'api'] },
  request_timeout: { status: 408, doors: ['gateway'] },
  changed_meanwhile: { status: 409, doors: ['api'] },
  body_too_large: { status: 413, doors: ['gateway', 'api'] },
  unsupported_media_type: { status: 415, doors: ['gateway', 'api'] },
  invalid_body: { status: 422, doors: ['gateway', 'api'] },
  invalid_parameter: { status: 422, doors: ['api'] },
  invalid_filter: { status: 422, doors: ['api'] },
  invalid_directive: { status: 422, doors: ['gateway'] },
  prompt_not_supported: { status: 422, doors: ['gateway'] },
  invalid_model: { status: 422, doors: ['gateway'] },
  provider_address_missing: { status: 422, doors: ['gateway'] },
  query_too_large: { status: 422, doors: ['api'] },
  rate_limited: { status: 429, doors: ['gateway'] },
  backlog_full: { status: 429, doors: ['gateway', 'api'] },
  too_many_failures: { status: 429, doors: ['gateway', 'api'] },
  websocket_not_supported: { status: 426, doors: ['gateway'] },
  too_many_previews: { status: 429, doors: ['api'] },
  headers_too_large: { status: 431, doors: ['gateway'] },
  internal: { status: 500, doors: ['gateway', 'api'] },
  store_damaged: { status: 500, doors: ['api'] },
  not_implemented: { status: 501, doors: ['gateway'] },
  provider_unreachable: { status: 502, doors: ['gateway'] },
  api_unavailable: { status: 503, doors: ['api'] },
  store_unavailable: { status: 503, doors: ['api'] },
  service_busy: { status: 503, doors: ['api'] },
  spool_unavailable: { status: 503, doors: ['gateway', 'api'] },
  provider_key_unreadable: { status: 503, doors: ['gateway'] },
  erasure_in_progress: { status: 503, doors: ['api'] },
  feedback_unavailable: { status: 503, doors: ['gateway'] },
  limits_unavailable: { status: 503, doors: ['gateway'] },
  too_many_connections: { status: 503, doors: ['gateway'] },
  too_many_calls: { status: 503, doors: ['gateway'] },
  stopping: { status: 503, doors: ['gateway'] },
  metadata_unavailable: { status: 503, doors: ['gateway', 'api'] },
  events_unavailable: { status: 503, doors: ['api'] },
  issuer_unavailable: { status: 503, doors: ['api'] },
  audit_unavailable: { status: 503, doors: ['api'] },
  provider_timeout: { status: 504, doors: ['gateway'] },
  query_timeout: { status: 504, doors: ['api'] },
} as const satisfies Record<string, ErrorDefinition>;

/** A stable, documented error code; clients may switch on it. */
export type ErrorCode = keyof typeof errors;

export type ApiErrorCode = { [Code in ErrorCode]: 'api' extends (typeof errors)[Code]['doors'][number] ? Code : never }[ErrorCode];

export function isApiErrorCode(code: ErrorCode): code is ApiErrorCode {
  const { doors }: ErrorDefinition = errors[code];
  return doors.includes('api');
}

export const apiErrorCodes: readonly ApiErrorCode[] = (Object.keys(errors) as ErrorCode[]).filter(isApiErrorCode);

export const gatewayErrorCodes: readonly ErrorCode[] = (Object.keys(errors) as ErrorCode[]).filter((code) => {
  const { doors }: ErrorDefinition = errors[code];
  return doors.includes('gateway');
});

/** The place of the fault in the caller's input, a JSON path such as `filter.left.request_response_rmt`, and hints for fixing it. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface GatelogErrorOptions {
  readonly details?: ErrorDetails;
  readonly retryAfterSeconds?: number;
  readonly usedUp?: RateLimitState;
  readonly cause?: unknown;
}

/** Default Retry-After of a 503. */
const defaultRetrySeconds = 2;

/**
 * An error with a public message. `message` names the fault and the remedy and never holds SQL, a server path or a secret. `cause` is for
 * the operator and never reaches a caller.
 */
export class GatelogError extends Error {
  override readonly name = 'GatelogError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  /** Every 503 has one; a refusal that no wait can fix has none. */
  readonly retryAfterSeconds: number | undefined;
  /** The limit that refused the call. */
  readonly usedUp: RateLimitState | undefined;

  constructor(code: ErrorCode, message: string, options: GatelogErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.usedUp = options.usedUp;
    const { usedUp } = options;
    const resetSeconds = usedUp?.exceedsQuota === true ? undefined : usedUp?.resetSeconds;
    this.retryAfterSeconds = options.retryAfterSeconds ?? resetSeconds ?? (this.status === 503 ? defaultRetrySeconds : undefined);
  }

  get status(): number {
    return errors[this.code].status;
  }
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
