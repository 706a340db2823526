import { crc32 } from 'node:zlib';
import type { ServerSentEvent } from '../../format/sse.ts';

/** What a message says of its own size. */
interface Lengths {
  readonly total: number;
  readonly headers: number;
}

/** A message around the bytes of its headers and its payload. @param claimed what it says of its size, where that is not the truth. */
export function frameAmazonMessage(headers: Uint8Array, payload: Uint8Array, claimed?: Lengths): Buffer {
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(claimed?.total ?? 16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(claimed?.headers ?? headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([head, checksum(head)]);
}

/** A message all of whose headers are texts. */
export function encodeAmazonMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) => [counted(name, 1), Buffer.from([7]), counted(value, 2)]);
  return frameAmazonMessage(Buffer.concat(lines), Buffer.from(payload));
}

/** The events of a stream, each as the message that Bedrock sends for it; those called `error` as exceptions of the type that they tell. */
export function encodeAmazonEvents(events: readonly ServerSentEvent[]): Buffer {
  return Buffer.concat(
    events.map(({ event, data }) => (event === 'error' ? exception(data) : encodeAmazonMessage(eventHeaders(event), data))),
  );
}

/** The events of a model's own stream, as Bedrock sends them when a model is invoked. */
export function encodeAmazonChunks(events: readonly ServerSentEvent[]): Buffer {
  return encodeAmazonEvents(
    events.map(({ data }) => ({ event: 'chunk', data: JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefghij' }) })),
  );
}

function eventHeaders(event: string): Record<string, string> {
  return { ':event-type': event, ':content-type': 'application/json', ':message-type': 'event' };
}

function exception(data: string): Buffer {
  const { type, ...details } = JSON.parse(data) as { readonly type: string };
  return encodeAmazonMessage(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify(details),
  );
}

function counted(text: string, lengthBytes: number): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(bytes.length, 0, lengthBytes);
  return Buffer.concat([length, bytes]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
