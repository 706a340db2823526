import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { cumulativeCounts } from '../format/cumulative.ts';
import { countOf, listOf, objectOf } from '../format/fields.ts';

/**
 * The usage object of a chat or text completion, wherever its provider puts it: beside the choices, in the last choice (Moonshot) or its
 * message, or in `x_groq` (Groq, in a stream that did not ask for it). Where it is in several places, the highest counts. A llama.cpp server
 * that was not asked reports `timings`. @returns undefined without any.
 */
export function usageIn(response: JsonObject): unknown {
  const choices = listOf(response['choices']).map(objectOf);
  const places = [...choices.flatMap(({ usage, message }) => [usage, objectOf(message)['usage']]), objectOf(response['x_groq'])['usage']];
  const counted = [...places, response['usage']].filter((usage) => isJsonObject(usage) && countsTokens(usage));
  if (counted.length > 0) return cumulativeCounts(counted);
  return response['usage'] ?? usageOfTimings(response['timings']);
}

function countsTokens(usage: JsonObject): boolean {
  return 'prompt_tokens' in usage || 'completion_tokens' in usage || 'total_tokens' in usage;
}

/** `prompt_n` counts the tokens that were processed, without those from the cache. */
function usageOfTimings(timings: unknown): unknown {
  const { prompt_n: processed, cache_n: cached, predicted_n: predicted } = objectOf(timings);
  const [read, prompt] = [countOf(cached), countOf(processed)];
  if (prompt === null || countOf(predicted) === null) return undefined;
  const details = read === null ? {} : { prompt_tokens_details: { cached_tokens: read } };
  return { prompt_tokens: prompt + (read ?? 0), completion_tokens: predicted, ...details };
}

/**
 * The `usage` of chat, text completions and embeddings. A missing or malformed count is null. OpenAI's prompt count includes cached and
 * audio tokens, its completion count includes reasoning, audio and rejected predictions, as ours do.
 */
export function readOpenAiUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const prompt = objectOf(usage['prompt_tokens_details']);
  const completion = objectOf(usage['completion_tokens_details']);
  const promptTokens = countOf(usage['prompt_tokens']);
  const reasoning = countOf(completion['reasoning_tokens']) ?? countOf(usage['reasoning_tokens']);
  const reportedCompletion = countOf(usage['completion_tokens']);
  const completionCount = correctedCompletion(usage, reportedCompletion, reasoning);
  const extra = tokensInTotalOnly(usage['total_tokens'], promptTokens, completionCount);
  // Mistral counts a recording in seconds; its tokens occur only in the total.
  const hasRecording = typeof usage['prompt_audio_seconds'] === 'number';
  const [extraAudio, extraReasoning] = hasRecording ? [extra, 0] : [0, extra];
  return {
    ...unreportedUsage,
    promptTokens: promptTokens === null ? null : promptTokens + extraAudio,
    completionTokens: completionCount === null ? null : completionCount + extraReasoning,
    promptCacheReadTokens: countOf(prompt['cached_tokens']) ?? firstCount(usage, ownCachedCounts),
    promptCacheWriteTokens: firstCount(prompt, writtenCounts),
    promptCacheWriteHalfDayTokens: halfDayWrites(prompt),
    promptAudioTokens: countOf(prompt['audio_tokens']) ?? (extraAudio > 0 ? extraAudio : null),
    promptImageTokens: countOf(prompt['image_tokens']),
    completionAudioTokens: countOf(completion['audio_tokens']),
    completionImageTokens: countOf(completion['image_tokens']),
    reasoningTokens: reasoning ?? (extraReasoning > 0 ? extraReasoning : null),
    audioSeconds: secondsOf(usage['prompt_audio_seconds']),
    // Perplexity only.
    webSearches: countOf(usage['num_search_queries']),
    raw: usage,
  };
}

/** Names of cache reads at DeepSeek, Moonshot and Mistral. */
const ownCachedCounts = ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens'] as const;

/** Names of cache writes at OpenAI and OpenRouter, and at Alibaba. */
const writtenCounts = ['cache_write_tokens', 'cache_creation_input_tokens'] as const;

function firstCount(usage: JsonObject, keys: readonly string[]): number | null {
  return keys.map((key) => countOf(usage[key])).find((count) => count !== null) ?? null;
}

/**
 * Corrects the completion count when there is more reasoning than completion, so that the reasoning cannot be part of it. Perplexity's
 * deep research reports reasoning beside the other counts and in none of them, not even the total: it is added. As a detail of the
 * completion next to a total it is not: some of OpenRouter's providers count it with another tokenizer than the completion that includes
 * it.
 */
function correctedCompletion(usage: JsonObject, reportedCompletion: number | null, reasoning: number | null): number | null {
  if (reportedCompletion === null || reasoning === null || reasoning <= reportedCompletion) return reportedCompletion;
  const isDetail = countOf(objectOf(usage['completion_tokens_details'])['reasoning_tokens']) !== null;
  return isDetail && countOf(usage['total_tokens']) !== null ? reportedCompletion : countOf(reportedCompletion + reasoning);
}

/**
 * Tokens that only the total includes: xAI, and Gemini in OpenAI's shape, count reasoning beside the completion. It is billed as output.
 */
function tokensInTotalOnly(total: unknown, prompt: number | null, completion: number | null): number {
  const all = countOf(total);
  return all === null || prompt === null || completion === null ? 0 : Math.max(0, all - prompt - completion);
}

/** The `usage` of responses, images and audio, which counts input and output, or seconds. */
export function readInputOutputUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const input = objectOf(usage['input_tokens_details'] ?? usage['input_token_details']);
  const output = objectOf(usage['output_tokens_details'] ?? usage['output_token_details']);
  return {
    ...unreportedUsage,
    promptTokens: countOf(usage['input_tokens']),
    completionTokens: countOf(usage['output_tokens']),
    // Perplexity uses Anthropic's names.
    promptCacheReadTokens: countOf(input['cached_tokens']) ?? countOf(input['cache_read_input_tokens']),
    promptCacheWriteTokens: countOf(input['cache_write_tokens']) ?? countOf(input['cache_creation_input_tokens']),
    promptCacheWriteHalfDayTokens: halfDayWrites(input),
    promptAudioTokens: countOf(input['audio_tokens']),
    promptImageTokens: countOf(input['image_tokens']),
    completionAudioTokens: countOf(output['audio_tokens']),
    completionImageTokens: countOf(output['image_tokens']),
    reasoningTokens: countOf(output['reasoning_tokens']),
    audioSeconds: usage['type'] === 'duration' ? secondsOf(usage['seconds']) : null,
    raw: usage,
  };
}

/** Cache writes that are kept for twelve hours in place of 30 minutes; OpenAI since its client 7. */
function halfDayWrites(input: JsonObject): number | null {
  return countOf(objectOf(input['cache_write_tokens_details'])['ttl_12h_tokens']);
}

/** One day, longer than any upload of speech. */
const maxSeconds = 86_400;

/** Seconds rounded up, as they are billed; null for anything but a duration. */
export function secondsOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= maxSeconds ? Math.ceil(value) : null;
}
