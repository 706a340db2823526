import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { countOf, objectOf } from '../facts.ts';

/**
 * The `usage` of a chat. Cohere counts twice: `billed_units` is billed to the caller; `tokens` includes the template around the caller's
 * messages. We use the billed counts, so that tokens and cost agree, and fall back to `tokens` for a side without one.
 */
export function readCohereUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const billed = objectOf(usage['billed_units']);
  const seen = objectOf(usage['tokens']);
  return {
    ...unreportedUsage,
    promptTokens: countOf(billed['input_tokens']) ?? countOf(seen['input_tokens']),
    completionTokens: countOf(billed['output_tokens']) ?? countOf(seen['output_tokens']),
    // Counted with the template, so it may exceed the billed prompt.
    promptCacheReadTokens: countOf(usage['cached_tokens']),
    reasoningTokens: countOf(seen['reasoning_tokens']),
    raw: usage,
  };
}
