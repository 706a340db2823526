/** Tokens of a request or of a session. */
interface Tokens {
  readonly prompt_tokens: number | null;
  readonly prompt_cache_read_tokens: number | null;
}

/** The share of the input that the provider read from its cache; null where there is no input. */
export function cachedShare({ prompt_tokens: input, prompt_cache_read_tokens: read }: Tokens): number | null {
  return input === null || input === 0 ? null : Math.min(1, (read ?? 0) / input);
}
