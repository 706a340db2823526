import { crc32 } from 'node:zlib';
import type { RequestFields } from '../../providers/format/provider.ts';

/** Characters of a prompt that tell apart the assistants of an application. */
const openingCharacters = 512;
/** What a shorter prompt repeats of its conversation is not worth reading it apart from its neighbours in time. */
const minConversationCharacters = 4096;

type PromptFields = Pick<RequestFields, 'promptText' | 'firstUserText' | 'lastUserText'>;

/**
 * The group of a request's bodies. The store keeps the bodies of a group side by side within an hour, so that what each turn of a
 * conversation repeats is stored once. A conversation is a session with one system prompt, or, without a session, what starts with the same
 * prompt and user text. Calls that continue nothing stay in the order of time, so that a page of the newest reads few blocks. Groups that
 * collide cost only space.
 * @returns 64 bits.
 */
export function bodyGroupOf(sessionId: string, prompt: PromptFields): bigint {
  const opening = crc32(prompt.promptText.slice(0, openingCharacters));
  if (sessionId !== '') return inGroup(crc32(sessionId), opening);
  return isContinued(prompt) ? inGroup(opening, crc32(prompt.firstUserText)) : 0n;
}

function isContinued({ promptText, firstUserText, lastUserText }: PromptFields): boolean {
  const isFirstTurn = firstUserText === lastUserText && promptText.endsWith(firstUserText);
  return !isFirstTurn && promptText.length >= minConversationCharacters;
}

function inGroup(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
