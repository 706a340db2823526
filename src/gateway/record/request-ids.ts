import { createHash, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { crc32OfAscii, crc32Small } from '../../platform/crc32.ts';

const checkedBytes = 12;
const idBytes = 16;
const scratch = Buffer.alloc(idBytes);
/** Random bytes for the next identifiers; one request to the system for many costs little more than for a few. */
const random = Buffer.alloc(256 * idBytes);
let usedRandom = random.length;

/**
 * A fresh UUIDv7 with the exchange's own time. Its last four bytes are a checksum of the rest and the organisation, so issued identifiers
 * are recognised without a lookup; 42 random bits remain per millisecond and organisation.
 */
export function makeRequestId(organizationId: OrganizationId, openedAt: number): RequestId {
  v7({ msecs: openedAt, rng: nextRandom }, scratch);
  scratch.writeUInt32BE(checksumOf(organizationId, scratch), checkedBytes);
  return textOf(scratch);
}

/**
 * As {@link makeRequestId}, always the same for the same name: a call that is logged again gets the same identifier.
 * @param name unique among what the organisation logs, such as a trace with its span.
 */
export function deriveRequestId(organizationId: OrganizationId, startedAt: number, name: string): RequestId {
  v7({ msecs: startedAt, random: createHash('sha256').update(name).digest().subarray(0, idBytes) }, scratch);
  scratch.writeUInt32BE(checksumOf(organizationId, scratch), checkedBytes);
  return textOf(scratch);
}

const digits = Buffer.from('0123456789abcdef');
const text = Buffer.alloc(36, '-');

/** TRICKY: byte by byte, because joined parts of `toString('hex')` are a rope, which V8 walks wherever the identifier is written. */
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

/**
 * Response headers with the identifier, name and value in turn.
 * @param aliased adds Helicone's name for it.
 */
export function idHeaders(requestId: RequestId, aliased: boolean): string[] {
  return aliased ? ['svc-id', requestId, 'helicone-id', requestId] : ['svc-id', requestId];
}

/** True if {@link makeRequestId} made this identifier for this organisation; a false positive has a probability of 2⁻³². */
export function isIssued(organizationId: OrganizationId, requestId: RequestId): boolean {
  if (requestId[14] !== '7') return false;
  const bytes = Buffer.from(requestId.replaceAll('-', ''), 'hex');
  return bytes.readUInt32BE(checkedBytes) === checksumOf(organizationId, bytes);
}

function checksumOf(organizationId: OrganizationId, bytes: Buffer): number {
  return crc32Small(bytes, 0, checkedBytes, crc32OfAscii(organizationId));
}
