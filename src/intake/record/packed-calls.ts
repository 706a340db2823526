import type { LoggedCall } from '../../model/record/logged-call.ts';

/**
 * Calls as they pass between threads: all of them as bytes, which move and are not copied. A call is made of its bytes when it is recorded,
 * so that thousands with long tags do not hold up the event loop at once.
 */
export interface PackedCalls {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lengths: readonly PackedLengths[];
}

/** Bytes of a call without its bodies, as JSON; of the request's body behind it, and of the response's. */
type PackedLengths = readonly [call: number, request: number, response: number];

export function packCalls(calls: readonly LoggedCall[]): PackedCalls {
  const parts: Uint8Array[] = [];
  const lengths: PackedLengths[] = [];
  for (const { requestBody, response, ...call } of calls) {
    const { body, ...answer } = response;
    const text = Buffer.from(JSON.stringify({ ...call, response: answer }));
    parts.push(text, requestBody, body);
    lengths.push([text.length, requestBody.length, body.length]);
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, lengths };
}

type CallBesideBodies = Omit<LoggedCall, 'requestBody' | 'response'> & { readonly response: Omit<LoggedCall['response'], 'body'> };

/** The calls, each made when it is asked for. */
export function* unpackCalls({ bytes, lengths }: PackedCalls): Generator<LoggedCall, void> {
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  for (const [call, request, response] of lengths) {
    const text = take(call);
    const { response: answer, ...beside } = JSON.parse(
      Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString(),
    ) as CallBesideBodies;
    const requestBody = take(request);
    yield {
      ...beside,
      // JSON leaves them out.
      requestId: beside.requestId,
      elapsedMs: beside.elapsedMs,
      firstTokenMs: beside.firstTokenMs,
      model: beside.model,
      requestBody,
      response: { ...answer, body: take(response) },
    };
  }
}
