import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, whatever the difference, lengths included. */
export function constantTimeEquals(given: string, key: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(key));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
