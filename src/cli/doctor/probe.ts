/** An answer, or why there is none. */
export type Probe = Answered | Failed;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Milliseconds until the whole answer was there. */
  readonly ms: number;
  /** Unix milliseconds in the middle of the call. */
  readonly middle: number;
}

export interface Failed {
  /** Of the system or of TLS, such as `ECONNREFUSED`; `timeout`. */
  readonly code: string;
  readonly message: string;
}

const limitMs = 10_000;
/** Of an answer that is none of ours. */
const maxCharacters = 8 * 1024 * 1024;

/** Calls an address and follows no redirect. @param key sent as the bearer's. */
export async function probe(address: string, now: () => number, key?: string): Promise<Probe> {
  const since = now();
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { accept: 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await limitedText(response);
    const ms = now() - since;
    return { status: response.status, headers: response.headers, text, ms, middle: since + ms / 2 };
  } catch (error) {
    return failureIn(error);
  }
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (response.body === null) return text;
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > maxCharacters) break;
  }
  return text;
}

/** Node hides the reason in the cause of a "fetch failed", and several in one. */
function failureIn(error: unknown): Failed {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return { code: 'timeout', message: `no answer within ${limitMs / 1000} s` };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const single = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const { code = 'unknown', message = String(single) } = single as { readonly code?: string; readonly message?: string };
  return { code, message };
}
