import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { jsonParts } from '../../model/json/raw.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { recordResponseBytes } from './response-memory.ts';
import { warningsOf } from './warnings.ts';

/** Every JSON response of the API, with the call's warnings if there are any. It ends in a line break for terminals. */
export function sendJson(context: Context, value: object, status: ContentfulStatusCode = 200): Response {
  return sendBytes(context, bytesOf([...jsonParts(withWarnings(context, value), randomUUID()), '\n']), status);
}

/** A result in the envelope that all endpoints share. */
export function sendData(context: Context, data: unknown): Response {
  return sendJson(context, { data, error: null });
}

/** As {@link sendData}, for data of megabytes: other calls run in between. @param owner whose call it is. */
export async function sendDataInTurns(context: Context, data: unknown, owner: string): Promise<Response> {
  const parts = jsonParts(withWarnings(context, { data, error: null }), randomUUID());
  return sendBytes(context, await bytesInTurns([...parts, '\n'], owner), 200);
}

function withWarnings(context: Context, value: object): object {
  const warnings = warningsOf(context);
  return warnings.length === 0 ? value : { ...value, warnings };
}

function sendBytes(context: Context, bytes: Uint8Array<ArrayBuffer>, status: ContentfulStatusCode): Response {
  recordResponseBytes(context, bytes.byteLength);
  return context.body(bytes, status, { 'Content-Type': 'application/json' });
}

/** TRICKY: bytes lie outside the V8 heap, which responses that no client reads would soon fill. */
function bytesOf(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = spaceFor(parts.map((part) => Buffer.byteLength(part)));
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes;
}

async function bytesInTurns(parts: readonly string[], owner: string): Promise<Uint8Array<ArrayBuffer>> {
  const slices = new Slices(owner);
  const lengths: number[] = [];
  for (const part of parts) {
    lengths.push(Buffer.byteLength(part));
    await slices.turn();
  }
  const bytes = spaceFor(lengths);
  let at = 0;
  for (const part of parts) {
    at += bytes.write(part, at);
    await slices.turn();
  }
  return bytes;
}

function spaceFor(lengths: readonly number[]): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(lengths.reduce((sum, length) => sum + length, 0)));
}
