import type { RequestItem } from '../../../src/contract/requests/item.ts';

/** What a record of a call of `calls.mjs` has beside status 200; undefined: nothing is on record. */
export function expectedOf(name: string): readonly ('prompt_tokens' | 'completion_tokens')[] | undefined {
  if (name.includes('WebSocket')) return undefined;
  if (/files|batches|models$/.test(name)) return [];
  return /embed/.test(name) ? ['prompt_tokens'] : ['prompt_tokens', 'completion_tokens'];
}

/** Calls of the AI SDK have a context, which stands on the spans around them and may come later. */
export function isTold(name: string): boolean {
  return name.startsWith('ai ');
}

export function isTagged({ session_id: session, request_user_id: user, properties }: RequestItem): boolean {
  return session === 'spans-1' && user === 'ada' && properties['team'] === 'search';
}

export function isWhole({ prompt_tokens: input, completion_tokens: output, cost }: RequestItem): boolean {
  return [input, output, cost].every((figure) => figure !== null && figure > 0);
}
