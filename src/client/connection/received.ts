import { ApiError } from './error.ts';

/** An answer of the service, before it is read. */
export interface Received {
  readonly endpoint: string;
  /** The origin that answered, for people. */
  readonly place: string;
  readonly status: number;
  readonly headers: Headers;
  readonly response: Response;
  /** The body as JSON; undefined when it is none. @throws as the call. */
  readonly json: () => Promise<unknown>;
}

interface Envelope {
  readonly [name: string]: unknown;
  readonly error: string | null;
}

/** Whether an answer has the shape that all endpoints share. */
export function isEnvelope(answer: unknown): answer is Envelope {
  return isObject(answer) && 'data' in answer && (typeof answer['error'] === 'string' || answer['error'] === null);
}

/** The error of an answer that is none of success. */
export function failureIn({ endpoint, place, status, headers }: Received, answer: unknown): ApiError {
  if (!isEnvelope(answer) || answer.error === null) {
    const message = `What answers at ${place} is not the API of Gatelog (status ${status}${sentenceIn(answer)}).`;
    return new ApiError(message, { endpoint, code: 'not_gatelog', status });
  }
  const { error, code, details } = answer;
  return new ApiError(error, {
    endpoint,
    code: typeof code === 'string' ? code : 'unknown',
    status,
    details: isObject(details) ? details : undefined,
    warnings: warningsIn(answer),
    hint: headers.get('svc-hint') ?? undefined,
    retryAfterSeconds: secondsIn(headers),
  });
}

export function warningsIn(answer: Readonly<Record<string, unknown>>): readonly string[] {
  const { warnings } = answer;
  return Array.isArray(warnings) ? warnings.map(String) : [];
}

export function secondsIn(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** The message of another service, such as the gateway, in its own shape. */
function sentenceIn(answer: unknown): string {
  const error = isObject(answer) ? answer['error'] : undefined;
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? `, "${message.slice(0, 300)}"` : '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
