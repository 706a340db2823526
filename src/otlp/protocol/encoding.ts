/** How a request was encoded, and so its response. */
export type Encoding = 'protobuf' | 'json';

export const mediaTypes: Readonly<Record<Encoding, string>> = { protobuf: 'application/x-protobuf', json: 'application/json' };

/** The encoding that a `content-type` names; undefined for any other. */
export function encodingOf(contentType: string): Encoding | undefined {
  const [type = ''] = contentType.split(';', 1);
  const name = type.trim().toLowerCase();
  if (name === mediaTypes.json) return 'json';
  return name === mediaTypes.protobuf || name === 'application/protobuf' ? 'protobuf' : undefined;
}

/** Codes of `google.rpc.Code` by the status of HTTP. */
const codes: ReadonlyMap<number, number> = new Map([
  [401, 16],
  [403, 7],
  [429, 8],
  [500, 13],
  [503, 14],
]);
const invalidArgument = 3;
/** Field numbers with their wire types in `google.rpc.Status`: `code` is a varint, `message` has a length. */
const [codeTag, messageTag] = [0x08, 0x12];

/** A `google.rpc.Status`, which the protocol asks for in responses that are no success. @param status of HTTP. */
export function statusBody(encoding: Encoding, status: number, message: string): Uint8Array {
  const code = codes.get(status) ?? invalidArgument;
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message }));
  const text = Buffer.from(message);
  return Buffer.from([codeTag, code, messageTag, ...varint(text.length), ...text]);
}

function varint(number: number): readonly number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)];
}
