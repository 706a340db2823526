import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/usage.ts';
import type { Usage } from '../../model/usage.ts';
import { countOf, objectOf, textOf } from '../facts.ts';

/**
 * The `usage` of a message. Anthropic counts what it read from a cache and what it wrote to one beside the input, so all three together are
 * our prompt.
 */
export function readAnthropicUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const read = countOf(usage['cache_read_input_tokens']);
  const kept = objectOf(usage['cache_creation']);
  const hour = countOf(kept['ephemeral_1h_input_tokens']);
  const written = countOf(usage['cache_creation_input_tokens']) ?? sumOf(countOf(kept['ephemeral_5m_input_tokens']), hour);
  const input = countOf(usage['input_tokens']);
  return {
    promptTokens: input === null ? null : countOf(input + (read ?? 0) + (written ?? 0)),
    completionTokens: countOf(usage['output_tokens']),
    promptCacheReadTokens: read,
    promptCacheWriteTokens: written,
    promptAudioTokens: null,
    completionAudioTokens: null,
    reasoningTokens: countOf(objectOf(usage['output_tokens_details'])['thinking_tokens']),
    promptCacheWriteHourTokens: hour,
    promptCacheReadAudioTokens: null,
    promptImageTokens: null,
    completionImageTokens: null,
    audioSeconds: null,
    estimated: false,
    raw: usage,
  };
}

/** How the call was served, as far as that decides its price: fast mode before the tier. */
export function servedAs(usage: unknown): string {
  const { speed, service_tier: tier } = objectOf(usage);
  return speed === 'fast' ? 'fast' : textOf(tier);
}

function sumOf(left: number | null, right: number | null): number | null {
  return left === null && right === null ? null : countOf((left ?? 0) + (right ?? 0));
}
