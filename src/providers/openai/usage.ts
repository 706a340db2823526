import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/usage.ts';
import type { Usage } from '../../model/usage.ts';
import { countOf, objectOf } from '../facts.ts';

/**
 * The `usage` of chat, text completions and embeddings. A count that is missing or not a count is null. OpenAI's prompt count includes cached
 * and audio tokens, its completion count includes reasoning, audio and rejected predictions, as ours do.
 */
export function readOpenAiUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const prompt = objectOf(usage['prompt_tokens_details']);
  const completion = objectOf(usage['completion_tokens_details']);
  const promptTokens = countOf(usage['prompt_tokens']);
  const reasoning = countOf(completion['reasoning_tokens']) ?? countOf(usage['reasoning_tokens']);
  const written = countOf(usage['completion_tokens']);
  // Perplexity's deep research counts its reasoning neither in the completion nor in the total.
  const stated = written !== null && reasoning !== null && reasoning > written ? countOf(written + reasoning) : written;
  const aside = countedAside(usage['total_tokens'], promptTokens, stated);
  // Mistral counts a recording in seconds, and its tokens in the total alone.
  const hasRecording = typeof usage['prompt_audio_seconds'] === 'number';
  const [heard, thought] = hasRecording ? [aside, 0] : [0, aside];
  return {
    promptTokens: promptTokens === null ? null : promptTokens + heard,
    completionTokens: stated === null ? null : stated + thought,
    // DeepSeek and Moonshot have keys of their own for what they read from a cache.
    promptCacheReadTokens: countOf(prompt['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']) ?? countOf(usage['cached_tokens']),
    promptCacheWriteTokens: countOf(prompt['cache_write_tokens']),
    promptAudioTokens: countOf(prompt['audio_tokens']) ?? (heard > 0 ? heard : null),
    promptImageTokens: countOf(prompt['image_tokens']),
    completionAudioTokens: countOf(completion['audio_tokens']),
    completionImageTokens: countOf(completion['image_tokens']),
    reasoningTokens: reasoning ?? (thought > 0 ? thought : null),
    promptCacheWriteHourTokens: null,
    promptCacheReadAudioTokens: null,
    audioSeconds: secondsOf(usage['prompt_audio_seconds']),
    estimated: false,
    raw: usage,
  };
}

/**
 * Tokens that stand in the total alone: xAI, and Gemini in OpenAI's shape, count reasoning beside the completion and not in it. It is billed
 * as output all the same.
 */
function countedAside(total: unknown, prompt: number | null, completion: number | null): number {
  const all = countOf(total);
  return all === null || prompt === null || completion === null ? 0 : Math.max(0, all - prompt - completion);
}

/** The `usage` of responses, images and audio, which speak of input and output, or of seconds. */
export function readInputOutputUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const input = objectOf(usage['input_tokens_details'] ?? usage['input_token_details']);
  const output = objectOf(usage['output_tokens_details'] ?? usage['output_token_details']);
  return {
    promptTokens: countOf(usage['input_tokens']),
    completionTokens: countOf(usage['output_tokens']),
    // Perplexity names both as Anthropic does.
    promptCacheReadTokens: countOf(input['cached_tokens']) ?? countOf(input['cache_read_input_tokens']),
    promptCacheWriteTokens: countOf(input['cache_write_tokens']) ?? countOf(input['cache_creation_input_tokens']),
    promptAudioTokens: countOf(input['audio_tokens']),
    promptImageTokens: countOf(input['image_tokens']),
    completionAudioTokens: countOf(output['audio_tokens']),
    completionImageTokens: countOf(output['image_tokens']),
    reasoningTokens: countOf(output['reasoning_tokens']),
    promptCacheWriteHourTokens: null,
    promptCacheReadAudioTokens: null,
    estimated: false,
    audioSeconds: usage['type'] === 'duration' ? secondsOf(usage['seconds']) : null,
    raw: usage,
  };
}

/** A day; whatever is longer is no upload of speech. */
const mostSeconds = 86_400;

/** Whole seconds, as begun ones are billed; null for what is no length of a recording. */
export function secondsOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= mostSeconds ? Math.ceil(value) : null;
}
