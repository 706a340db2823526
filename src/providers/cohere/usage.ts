import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/usage.ts';
import type { Usage } from '../../model/usage.ts';
import { countOf, objectOf } from '../facts.ts';

/**
 * The `usage` of a chat. Cohere counts twice: `billed_units` is what the caller pays for, `tokens` what the model saw and wrote, with the template
 * around the caller's messages. Ours are the billed ones, so that tokens and cost belong together; a side that is not billed apart has the others.
 */
export function readCohereUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const billed = objectOf(usage['billed_units']);
  const seen = objectOf(usage['tokens']);
  const prompt = countOf(billed['input_tokens']) ?? countOf(seen['input_tokens']);
  const cached = countOf(usage['cached_tokens']);
  return {
    ...unreportedUsage,
    promptTokens: prompt,
    completionTokens: countOf(billed['output_tokens']) ?? countOf(seen['output_tokens']),
    // What was cached is counted with the template, and may be more than is billed.
    promptCacheReadTokens: cached === null || prompt === null ? cached : Math.min(cached, prompt),
    raw: usage,
  };
}
