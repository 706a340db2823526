import { moneyOfUsd } from '../../model/money.ts';
import type { Money } from '../../model/money.ts';
import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/usage.ts';
import type { Usage } from '../../model/usage.ts';
import { countOf, objectOf } from '../facts.ts';

type Count = Exclude<keyof Usage, 'estimated' | 'raw'>;

/**
 * Where the usage object of chat and text completions keeps each count: an own key, or a group and a key in it. OpenAI's prompt count
 * includes cached and audio tokens, its completion count includes reasoning, audio and rejected predictions, as ours do.
 */
const places: Readonly<Record<Count, readonly [string] | readonly [string, string]>> = {
  promptTokens: ['prompt_tokens'],
  completionTokens: ['completion_tokens'],
  promptCacheReadTokens: ['prompt_tokens_details', 'cached_tokens'],
  promptCacheWriteTokens: ['prompt_tokens_details', 'cache_write_tokens'],
  promptAudioTokens: ['prompt_tokens_details', 'audio_tokens'],
  completionAudioTokens: ['completion_tokens_details', 'audio_tokens'],
  reasoningTokens: ['completion_tokens_details', 'reasoning_tokens'],
};

/** The `usage` of a response body. A count that is missing or not a count is null. */
export function readOpenAiUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const count = (name: Count): number | null => {
    const [outer, inner] = places[name];
    return countOf(inner === undefined ? usage[outer] : objectOf(usage[outer])[inner]);
  };
  return {
    promptTokens: count('promptTokens'),
    completionTokens: count('completionTokens'),
    promptCacheReadTokens: count('promptCacheReadTokens'),
    promptCacheWriteTokens: count('promptCacheWriteTokens'),
    promptAudioTokens: count('promptAudioTokens'),
    completionAudioTokens: count('completionAudioTokens'),
    reasoningTokens: count('reasoningTokens'),
    estimated: false,
    raw: usage,
  };
}

/** `usage.cost`, US dollars: not OpenAI's own, but resellers that speak its format state their charge there. */
export function readStatedCost(usage: unknown): Money | null {
  const cost = objectOf(usage)['cost'];
  return typeof cost === 'number' && cost >= 0 ? (moneyOfUsd(cost) ?? null) : null;
}
