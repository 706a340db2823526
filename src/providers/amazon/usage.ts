import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { countOf, listOf, objectOf } from '../format/fields.ts';

/**
 * The `usage` of a conversation. For the models of all makers, Bedrock counts cache reads and cache writes beside the input; our prompt
 * count is the sum of the three.
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
