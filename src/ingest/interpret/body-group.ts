import { crc32 } from 'node:zlib';
import type { RequestFacts } from '../../providers/provider.ts';

/** Characters of a prompt that tell apart the assistants of an application. */
const openingCharacters = 512;

/**
 * The group of a request's bodies: the store keeps the bodies of a group together, so that what each turn of a conversation repeats is
 * stored once. A conversation is a session with one system prompt, or, without a session, what starts with the same prompt and user text.
 * Groups that differ may collide, which costs only space.
 * @returns 64 bits.
 */
export function bodyGroupOf(sessionId: string, { promptText, firstUserText }: Pick<RequestFacts, 'promptText' | 'firstUserText'>): bigint {
  const opening = crc32(promptText.slice(0, openingCharacters));
  const [high, low] = sessionId === '' ? [opening, crc32(firstUserText)] : [crc32(sessionId), opening];
  return (BigInt(high) << 32n) | BigInt(low);
}
