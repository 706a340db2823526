import { crc32Small } from '../../platform/crc32.ts';

/** Two lengths and their checksum. */
const preludeBytes = 12;
const lengthsBytes = 8;
const minMessageBytes = 16;

/** Whether one of Amazon's binary messages begins there. */
export function beginsMessage(body: Buffer, at = 0): boolean {
  if (at + preludeBytes > body.length || body.readUInt32BE(at) < minMessageBytes) return false;
  return body.readUInt32BE(at + lengthsBytes) === crc32Small(body, at, at + lengthsBytes);
}

/** Whether a body is such messages alone, none of them truncated. */
export function consistsOfMessages(body: Buffer): boolean {
  let at = 0;
  while (beginsMessage(body, at)) at += body.readUInt32BE(at);
  return at === body.length;
}
