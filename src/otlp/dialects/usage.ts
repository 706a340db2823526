import type { JsonObject } from '../../model/text.ts';

/**
 * Counts of a call. `inputTokens` is all input with what was read from and written to a cache, `outputTokens` all output with reasoning:
 * OpenTelemetry's meaning, and that of our records.
 */
export interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly inputAudioTokens?: number | undefined;
  readonly outputAudioTokens?: number | undefined;
  readonly inputImageTokens?: number | undefined;
  readonly outputImageTokens?: number | undefined;
  /** The provider's own usage object, where the span has it: it says more. */
  readonly anthropic?: JsonObject | undefined;
}

/** A usage object of Anthropic's, whose input lacks what a cache held: either count may be missing. */
export function isAnthropicUsage(usage: JsonObject): boolean {
  return 'input_tokens' in usage && ('cache_creation_input_tokens' in usage || 'cache_read_input_tokens' in usage);
}

/**
 * Some instrumentations count what the cache held beside the input, against the convention. It shows where the parts exceed the whole.
 */
export function withCachedInput(usage: Usage): Usage {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const cached = cacheReadTokens + cacheWriteTokens;
  return inputTokens === undefined || cached <= inputTokens ? usage : { ...usage, inputTokens: inputTokens + cached };
}

export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
