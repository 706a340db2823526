import { expect, it } from 'vitest';
import { appendCall } from '../../intake/record/frames.ts';
import { uuidOfHex } from '../../model/ids.ts';
import { frameHeaderBytes } from '../../spool/frame.ts';
import { received, spanIdOf, type WrittenSpan } from '../testing/spans.ts';
import { addedBytesOf } from './added-bytes-limit.ts';

const requestId = uuidOfHex('0197b000000070008000000000000001');
const owner = { organizationId: requestId, keyId: 'k'.repeat(36), keyHash: 'a'.repeat(64), permissions: 'rw' } as const;

/** Bytes that a record's frames have in the spool. */
function appendedBytes(call: Parameters<typeof addedBytesOf>[0]): number {
  let bytes = 0;
  const spool = {
    newStream: () => 1,
    append: (_stream: number, _kind: number, payload: string | Uint8Array | { readonly text: string; readonly bytes: Uint8Array }) => {
      const parts = typeof payload === 'object' && 'text' in payload ? [payload.text, payload.bytes] : [payload];
      bytes += frameHeaderBytes + parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    },
  };
  appendCall(spool, owner, { call, requestId, logged: { at: Date.now(), identifier: 'chosen' } }, 64 * 1024 * 1024);
  return bytes;
}

const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.system': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'server.address': `${'a'.repeat(200)}.example`,
  'session.id': 's',
  'user.id': 'ü'.repeat(100),
};
const messages = {
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi "\u0001"'.repeat(1000) }] }]),
};

it.each<readonly [string, WrittenSpan]>([
  ['that is empty but for its model', { attributes: { 'gen_ai.request.model': 'm' } }],
  ['with an address, a session and a user', { attributes, parentSpanId: spanIdOf(9) }],
  ['with texts', { attributes: { ...attributes, ...messages } }],
  ['that failed', { attributes, status: { code: 2, message: 'e'.repeat(5000) } }],
])('the record of a span %s has no more bytes in the spool than were counted before', (_name, span) => {
  const [call] = received([span]).calls;
  if (call === undefined) throw new Error('the span is no call');
  expect(appendedBytes(call)).toBeLessThanOrEqual(addedBytesOf(call));
  expect(appendedBytes(call)).toBeGreaterThan(addedBytesOf(call) - 1024);
});
