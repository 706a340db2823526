import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { countOf, listOf, objectOf } from '../facts.ts';

/**
 * The `usage` of a conversation. Bedrock counts what it read from a cache and what it wrote to one beside the input, for the models of every maker, so
 * all three together are our prompt.
 */
export function readConverseUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const read = countOf(usage['cacheReadInputTokens']);
  const written = countOf(usage['cacheWriteInputTokens']);
  const input = countOf(usage['inputTokens']);
  const ofAnHour = listOf(usage['cacheDetails'])
    .map(objectOf)
    .find(({ ttl }) => ttl === '1h');
  return {
    ...unreportedUsage,
    promptTokens: input === null ? null : countOf(input + (read ?? 0) + (written ?? 0)),
    completionTokens: countOf(usage['outputTokens']),
    promptCacheReadTokens: read,
    promptCacheWriteTokens: written,
    promptCacheWriteHourTokens: countOf(ofAnHour?.['inputTokens']),
    raw: usage,
  };
}
