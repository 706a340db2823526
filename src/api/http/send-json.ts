import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { jsonParts } from '../../model/json/raw.ts';
import { recordResponseBytes } from './response-memory.ts';
import { warningsOf } from './warnings.ts';

/** Every JSON response of the API, with the call's warnings if there are any. It ends in a line break for terminals. */
export function sendJson(context: Context, value: object, status: ContentfulStatusCode = 200): Response {
  const warnings = warningsOf(context);
  const answer = warnings.length === 0 ? value : { ...value, warnings };
  const bytes = bytesOf([...jsonParts(answer, randomUUID()), '\n']);
  recordResponseBytes(context, bytes.byteLength);
  return context.body(bytes, status, { 'Content-Type': 'application/json' });
}

/** A result in the envelope that all endpoints share. */
export function sendData(context: Context, data: unknown): Response {
  return sendJson(context, { data, error: null });
}

/** TRICKY: bytes lie outside the V8 heap, which responses that no client reads would soon fill. */
function bytesOf(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const lengths = parts.map((part) => Buffer.byteLength(part));
  const bytes = Buffer.from(new ArrayBuffer(lengths.reduce((sum, length) => sum + length, 0)));
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes;
}
