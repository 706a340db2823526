import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { crc32OfAscii, crc32Small } from '../../platform/crc32.ts';

const taggedBytes = 12;
const idBytes = 16;
const scratch = Buffer.alloc(idBytes);
/** Random bytes for the next identifiers: to ask the system for many at once costs little more than for a few. */
const random = Buffer.alloc(256 * idBytes);
let usedRandom = random.length;

/**
 * A fresh UUIDv7 whose time is the exchange's own. Its last four bytes are a check over the rest and the organisation, so that an identifier
 * that we once issued is recognised without looking it up; 42 random bits stay in each millisecond of each organisation.
 */
export function makeRequestId(organizationId: OrganizationId, openedAt: number): RequestId {
  v7({ msecs: openedAt, rng: nextRandom }, scratch);
  scratch.writeUInt32BE(checkOf(organizationId, scratch), taggedBytes);
  return textOf(scratch);
}

const digits = Buffer.from('0123456789abcdef');
const text = Buffer.alloc(36, '-');

/** TRICKY: byte by byte, as `toString('hex')` cut into five and joined is a rope, which is walked wherever the identifier is written. */
function textOf(bytes: Uint8Array): RequestId {
  let at = 0;
  for (const byte of bytes) {
    text[at] = digits[byte >> 4] ?? 0;
    text[at + 1] = digits[byte & 15] ?? 0;
    at += 2;
    if (at === 8 || at === 13 || at === 18 || at === 23) at += 1;
  }
  return text.toString('latin1') as RequestId;
}

function nextRandom(): Uint8Array {
  if (usedRandom === random.length) {
    randomFillSync(random);
    usedRandom = 0;
  }
  usedRandom += idBytes;
  return random.subarray(usedRandom - idBytes, usedRandom);
}

/** An identifier as a reply carries it, name and value in turn. @param aliased the caller knows it by Helicone's name too. */
export function idHeaders(requestId: RequestId, aliased: boolean): string[] {
  return aliased ? ['svc-id', requestId, 'helicone-id', requestId] : ['svc-id', requestId];
}

/** True when {@link makeRequestId} made this identifier for this organisation (or, once in 2³² others, by chance). */
export function isIssued(organizationId: OrganizationId, requestId: RequestId): boolean {
  if (requestId[14] !== '7') return false;
  const bytes = Buffer.from(requestId.replaceAll('-', ''), 'hex');
  return bytes.readUInt32BE(taggedBytes) === checkOf(organizationId, bytes);
}

function checkOf(organizationId: OrganizationId, bytes: Buffer): number {
  return crc32Small(bytes, 0, taggedBytes, crc32OfAscii(organizationId));
}
