import { ApiError } from './error.ts';
import type { Settings } from './options.ts';
import { type Received, secondsIn } from './received.ts';

export type RequestBody = NonNullable<RequestInit['body']>;

export interface Sent {
  readonly endpoint: string;
  readonly method: string;
  readonly address: string;
  readonly body: RequestBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined;
}

/** Seconds between two attempts, at most. */
const maxWaitSeconds = 10;

/** Sends a call, and again while the service says 503. @throws ApiError without an answer, and the reason of the caller's signal. */
export async function send(settings: Settings, sent: Sent): Promise<Received> {
  for (let left = settings.retries; ; left -= 1) {
    const received = await attempt(settings, sent);
    if (received.status !== 503 || left <= 0 || sent.endpoint === 'GET /readyz') return received;
    await received.response.body?.cancel();
    await waited(1000 * Math.min(secondsIn(received.headers) ?? 1, maxWaitSeconds), sent.signal);
  }
}

async function attempt(settings: Settings, sent: Sent): Promise<Received> {
  const { endpoint, method, address, body, signal, timeoutMs } = sent;
  const place = settings.apiUrl === '' ? ((globalThis as { readonly origin?: string }).origin ?? 'this origin') : settings.apiUrl;
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const failed = (code: 'unreachable' | 'broken_off', cause: unknown): ApiError => {
    signal?.throwIfAborted();
    const isLate = limit?.aborted === true;
    const message = isLate ? `${place} did not answer within ${timeoutMs ?? 0} ms.` : sentences[code](place, reasonOf(cause));
    return new ApiError(message, { endpoint, code: isLate ? 'timed_out' : code, status: 0, cause });
  };
  const response = await settings
    .fetch(address, {
      method,
      headers: { ...settings.headers, ...(settings.isKeyless && method !== 'GET' ? { 'svc-csrf': '1' } : {}), ...sent.headers },
      // The key goes to no other address than the named one.
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit].filter((each) => each !== undefined)),
      ...(body === undefined ? {} : { body }),
    })
    .catch((error: unknown) => {
      throw failed('unreachable', error);
    });
  const json = async (): Promise<unknown> => {
    const text = await response.text().catch((error: unknown) => {
      throw failed('broken_off', error);
    });
    try {
      return settings.readJson(text, endpoint);
    } catch {
      return undefined;
    }
  };
  return { endpoint, place, status: response.status, headers: response.headers, response, json };
}

const sentences = {
  unreachable: (place: string, why: string) => `No Gatelog answers at ${place} (${why}).`,
  broken_off: (place: string, why: string) => `${place} broke off its answer (${why}).`,
} as const;

/** Node hides the reason in the cause of a "fetch failed". */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}

/** @throws the signal's reason. */
export async function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
