/** Of an answer of an issuer; discovery documents and keys have some kilobytes. */
const maxBytes = 512 * 1024;
/** Of a call, with its body. */
const maxMs = 10_000;

/** As the library calls it. */
export interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly redirect: 'manual';
  readonly signal?: AbortSignal;
}

/** Calls an issuer within limits of time and bytes. @throws when one is exceeded, or the issuer is not reached. */
export async function boundedFetch(url: string, options: FetchOptions): Promise<Response> {
  const limit = AbortSignal.timeout(maxMs);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  const { method, headers, redirect } = options;
  const body = options.body instanceof URLSearchParams || typeof options.body === 'string' ? options.body : null;
  const response = await fetch(url, { method, headers, redirect, body, signal });
  const bytes = await bytesOf(response);
  const isEmpty = bytes.byteLength === 0 || [101, 204, 205, 304].includes(response.status);
  return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers });
}

async function bytesOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (body === null) return new Uint8Array();
  for await (const part of body as ReadableStream<Uint8Array>) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new Error(`an answer has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
