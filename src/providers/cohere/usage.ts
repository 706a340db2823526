import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import { countOf, objectOf } from '../facts.ts';

/**
 * The `usage` of a chat. Cohere counts twice: `billed_units` is what the caller pays for, `tokens` what the model saw and wrote, with the template
 * around the caller's messages. Ours are the billed ones, so that tokens and cost belong together; a side that is not billed apart has the others.
 */
export function readCohereUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const billed = objectOf(usage['billed_units']);
  const seen = objectOf(usage['tokens']);
  return {
    ...unreportedUsage,
    promptTokens: countOf(billed['input_tokens']) ?? countOf(seen['input_tokens']),
    completionTokens: countOf(billed['output_tokens']) ?? countOf(seen['output_tokens']),
    // As Cohere says it: counted with the template, so it may be more than the prompt that is billed.
    promptCacheReadTokens: countOf(usage['cached_tokens']),
    reasoningTokens: countOf(seen['reasoning_tokens']),
    raw: usage,
  };
}
