import type { LoggedCall } from '../../model/record/logged-call.ts';

/** Calls as they pass between threads: their bodies lie one behind the other, so that they move and are not copied. */
export interface PackedCalls {
  readonly calls: readonly PackedCall[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface PackedCall {
  readonly call: Omit<LoggedCall, 'requestBody' | 'response'> & { readonly response: Omit<LoggedCall['response'], 'body'> };
  /** Bytes of the request's body, and of the response's behind it. */
  readonly lengths: readonly [request: number, response: number];
}

export function packCalls(calls: readonly LoggedCall[]): PackedCalls {
  const size = calls.reduce((sum, { requestBody, response }) => sum + requestBody.length + response.body.length, 0);
  const bytes = new Uint8Array(size);
  let at = 0;
  const place = (body: Uint8Array): number => {
    bytes.set(body, at);
    at += body.length;
    return body.length;
  };
  const packed = calls.map(({ requestBody, response: { body, ...response }, ...call }): PackedCall => {
    const request = place(requestBody);
    return { call: { ...call, response }, lengths: [request, place(body)] };
  });
  return { calls: packed, bytes };
}

export function unpackCalls({ calls, bytes }: PackedCalls): readonly LoggedCall[] {
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  return calls.map(({ call, lengths: [request, response] }) => {
    const requestBody = take(request);
    return { ...call, requestBody, response: { ...call.response, body: take(response) } };
  });
}
