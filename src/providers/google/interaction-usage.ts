import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { countOf, listOf, objectOf } from '../facts.ts';

/**
 * The `usage` of an interaction. Like `generateContent`, it counts thoughts beside the output, and the input from tools beside the input.
 */
export function readInteractionUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const input = countOf(usage['total_input_tokens']);
  const output = countOf(usage['total_output_tokens']);
  const thought = countOf(usage['total_thought_tokens']);
  return {
    promptTokens: input === null ? null : countOf(input + (countOf(usage['total_tool_use_tokens']) ?? 0)),
    completionTokens: output === null && thought === null ? null : countOf((output ?? 0) + (thought ?? 0)),
    promptCacheReadTokens: countOf(usage['total_cached_tokens']),
    promptCacheWriteTokens: null,
    promptAudioTokens: ofModality(usage['input_tokens_by_modality'], 'audio'),
    completionAudioTokens: ofModality(usage['output_tokens_by_modality'], 'audio'),
    reasoningTokens: thought,
    promptCacheWriteHourTokens: null,
    promptCacheReadAudioTokens: ofModality(usage['cached_tokens_by_modality'], 'audio'),
    promptImageTokens: ofModality(usage['input_tokens_by_modality'], 'image'),
    completionImageTokens: ofModality(usage['output_tokens_by_modality'], 'image'),
    audioSeconds: null,
    webSearches: null,
    fileSearches: null,
    estimated: false,
    raw: usage,
  };
}

function ofModality(counts: unknown, modality: string): number | null {
  const found = listOf(counts)
    .map(objectOf)
    .find((count) => count['modality'] === modality);
  return countOf(found?.['tokens']);
}
