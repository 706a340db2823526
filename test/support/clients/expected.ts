import type { RequestItem } from '../../../src/contract/requests/item.ts';

type Counts = Partial<Pick<RequestItem, 'prompt_tokens' | 'completion_tokens' | 'usage_estimated'>>;

/** What the recordings of `test/support/recorded-provider.ts` count. */
const counted = (prompt_tokens: number, completion_tokens: number): Counts => ({
  prompt_tokens,
  completion_tokens,
  usage_estimated: false,
});

/** By a part of the call's name; the first that it has. */
const countsByName: readonly (readonly [part: RegExp, counts: Counts])[] = [
  [/files|batches|models$/, {}],
  [/embed/, counted(9, 0)],
  [/@anthropic-ai/, counted(3289, 23)],
  [/interactions/, counted(1205, 340)],
  [/@google/, counted(1830, 101)],
  [/responses|generateText/, counted(1830, 117)],
  [/by hand/, counted(1000, 200)],
  [/./, counted(1830, 17)],
];

/** What a record of a call of `calls.mjs` or `spans.mjs` counts; undefined: nothing is on record. */
export function countsOf(name: string): Counts | undefined {
  if (name.includes('WebSocket')) return undefined;
  return countsByName.find(([part]) => part.test(name))?.[1];
}

/** What a record tells of the same; an embedding has no output. */
export function toldCounts(name: string, item: RequestItem): Counts {
  const { prompt_tokens, completion_tokens, usage_estimated } = item;
  return Object.keys(countsOf(name) ?? {}).length === 0
    ? {}
    : { prompt_tokens, completion_tokens: completion_tokens ?? 0, usage_estimated };
}

/** Calls of the AI SDK have a context, which stands on the spans around them and may come later. */
export function isTold(name: string): boolean {
  return name.startsWith('ai ');
}

export function isTagged({ session_id: session, request_user_id: user, properties }: RequestItem): boolean {
  return session === 'spans-1' && user === 'ada' && properties['team'] === 'search';
}

export function hasCost({ cost }: RequestItem): boolean {
  return cost !== null && cost > 0;
}
