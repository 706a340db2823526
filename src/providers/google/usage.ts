import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { countOf, listOf, objectOf } from '../format/fields.ts';

/**
 * The `usageMetadata` of generated content. Google counts thoughts beside the candidates and the input from tools beside the prompt; both
 * are billed as output and input, so our counts include them. Cache reads are already in Google's prompt count. @param ended the response
 * has a finish reason. Before that, a stream's counts are incomplete.
 */
export function readGeminiUsage(usage: unknown, ended: boolean): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const thoughts = countOf(usage['thoughtsTokenCount']);
  const prompt = countOf(usage['promptTokenCount']);
  const toolUse = countOf(usage['toolUsePromptTokenCount']);
  const accounted = [prompt, toolUse, thoughts].reduce((sum: number, count) => sum + (count ?? 0), 0);
  const total = countOf(usage['totalTokenCount']);
  // Google omits zeros, and sometimes a count that the total includes.
  const unaccounted = ended && total !== null && prompt !== null ? Math.max(0, total - accounted) : null;
  const candidates = countOf(usage['candidatesTokenCount']) ?? unaccounted;
  return {
    ...unreportedUsage,
    promptTokens: prompt === null ? null : countOf(prompt + (toolUse ?? 0)),
    // A response that was cut off while thinking has no candidates to count.
    completionTokens: candidates === null && thoughts === null ? null : countOf((candidates ?? 0) + (thoughts ?? 0)),
    promptCacheReadTokens: countOf(usage['cachedContentTokenCount']),
    promptAudioTokens: ofModality(usage['promptTokensDetails'], 'AUDIO'),
    completionAudioTokens: ofModality(usage['candidatesTokensDetails'], 'AUDIO'),
    reasoningTokens: thoughts,
    promptCacheReadAudioTokens: ofModality(usage['cacheTokensDetails'], 'AUDIO'),
    promptImageTokens: ofModality(usage['promptTokensDetails'], 'IMAGE'),
    completionImageTokens: ofModality(usage['candidatesTokensDetails'], 'IMAGE'),
    raw: usage,
  };
}

function ofModality(details: unknown, modality: string): number | null {
  const found = listOf(details)
    .map(objectOf)
    .find((detail) => detail['modality'] === modality);
  return countOf(found?.['tokenCount']);
}
