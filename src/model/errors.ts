import type { RateLimitState } from './rate-limit-lines.ts';

/** Where a caller can meet a failure: at the gateway, at the API, or at both. */
type Door = 'gateway' | 'api';

interface ErrorDefinition {
  readonly status: number;
  readonly doors: readonly [Door, ...Door[]];
}

/**
 * Every failure that a caller can see: one stable code, one HTTP status, and the doors that answer with it: `api/http/problem.ts` in the API's
 * envelope, `gateway/http/error-response.ts` in OpenAI's error shape.
 */
const errors = {
  malformed_json: { status: 400, doors: ['api'] },
  malformed_request: { status: 400, doors: ['gateway', 'api'] },
  missing_key: { status: 401, doors: ['gateway', 'api'] },
  invalid_key: { status: 401, doors: ['gateway', 'api'] },
  wrong_region: { status: 401, doors: ['gateway', 'api'] },
  no_provider_key: { status: 401, doors: ['gateway'] },
  permission_denied: { status: 403, doors: ['gateway', 'api'] },
  target_not_allowed: { status: 403, doors: ['gateway'] },
  not_found: { status: 404, doors: ['gateway', 'api'] },
  unknown_model: { status: 404, doors: ['gateway'] },
  unknown_provider: { status: 404, doors: ['gateway'] },
  request_in_flight: { status: 404, doors: ['api'] },
  method_not_allowed: { status: 405, doors: ['gateway', 'api'] },
  request_timeout: { status: 408, doors: ['gateway'] },
  body_too_large: { status: 413, doors: ['gateway', 'api'] },
  unsupported_media_type: { status: 415, doors: ['api'] },
  invalid_body: { status: 422, doors: ['api'] },
  invalid_parameter: { status: 422, doors: ['api'] },
  invalid_filter: { status: 422, doors: ['api'] },
  invalid_directive: { status: 422, doors: ['gateway'] },
  prompt_not_supported: { status: 422, doors: ['gateway'] },
  invalid_model: { status: 422, doors: ['gateway'] },
  provider_address_missing: { status: 422, doors: ['gateway'] },
  query_too_large: { status: 422, doors: ['api'] },
  rate_limited: { status: 429, doors: ['gateway'] },
  too_many_failures: { status: 429, doors: ['gateway', 'api'] },
  headers_too_large: { status: 431, doors: ['gateway'] },
  internal: { status: 500, doors: ['gateway', 'api'] },
  store_damaged: { status: 500, doors: ['api'] },
  not_implemented: { status: 501, doors: ['gateway'] },
  provider_unreachable: { status: 502, doors: ['gateway'] },
  store_unavailable: { status: 503, doors: ['api'] },
  service_busy: { status: 503, doors: ['api'] },
  provider_key_unreadable: { status: 503, doors: ['gateway'] },
  erasure_in_progress: { status: 503, doors: ['api'] },
  feedback_unavailable: { status: 503, doors: ['gateway'] },
  limits_unavailable: { status: 503, doors: ['gateway'] },
  too_many_connections: { status: 503, doors: ['gateway'] },
  too_many_calls: { status: 503, doors: ['gateway'] },
  stopping: { status: 503, doors: ['gateway'] },
  metadata_unavailable: { status: 503, doors: ['gateway', 'api'] },
  provider_timeout: { status: 504, doors: ['gateway'] },
  query_timeout: { status: 504, doors: ['api'] },
} as const satisfies Record<string, ErrorDefinition>;

/** A stable, documented error code; clients may switch on it. */
export type ErrorCode = keyof typeof errors;

/** A code that the API answers with. */
export type ApiErrorCode = { [Code in ErrorCode]: 'api' extends (typeof errors)[Code]['doors'][number] ? Code : never }[ErrorCode];

/** Whether the API answers with this code. */
export function isApiErrorCode(code: ErrorCode): code is ApiErrorCode {
  const { doors }: ErrorDefinition = errors[code];
  return doors.includes('api');
}

/** Every code that the API answers with. */
export const apiErrorCodes: readonly ApiErrorCode[] = (Object.keys(errors) as ErrorCode[]).filter(isApiErrorCode);

/** Every code that the gateway answers with. */
export const gatewayErrorCodes: readonly ErrorCode[] = (Object.keys(errors) as ErrorCode[]).filter((code) => {
  const { doors }: ErrorDefinition = errors[code];
  return doors.includes('gateway');
});

/** Where in the caller's input the fault is: a JSON path such as `filter.left.request_response_rmt`, plus what helps to mend it. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** What an error says beside its sentence. */
export interface GatelogErrorOptions {
  readonly details?: ErrorDetails;
  readonly retryAfterSeconds?: number;
  readonly usedUp?: RateLimitState;
  readonly cause?: unknown;
}

/** How soon a part that is away may be back. */
const awaySeconds = 2;

/**
 * A failure with a public sentence. `message` says what is wrong and what to write instead and never holds SQL, a path of the server or a
 * secret; what an operator needs travels in `cause`, which no door ever prints to a caller.
 */
export class GatelogError extends Error {
  override readonly name = 'GatelogError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  /** Seconds after which to try again; every 503 says some, and a refusal that no wait mends says none. */
  readonly retryAfterSeconds: number | undefined;
  /** The limit that refuses, where one does. */
  readonly usedUp: RateLimitState | undefined;

  constructor(code: ErrorCode, message: string, options: GatelogErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.usedUp = options.usedUp;
    const { usedUp } = options;
    const resetSeconds = usedUp?.isHopeless === true ? undefined : usedUp?.resetSeconds;
    this.retryAfterSeconds = options.retryAfterSeconds ?? resetSeconds ?? (this.status === 503 ? awaySeconds : undefined);
  }

  /** HTTP status of this error. */
  get status(): number {
    return errors[this.code].status;
  }
}

/** The text of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
