import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a text is the key of a setting. Takes the same time whatever is wrong with it, its length included. */
export function constantTimeEquals(given: string, key: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(key));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
