export interface RateLimitState {
  /** Quota of a window, a whole number. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until some quota is available again. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
  /** The call exceeds the whole quota, so waiting does not help. */
  readonly exceedsQuota?: true;
}

/** Headers of a 429 response, names and values in turn, as in draft-ietf-httpapi-ratelimit-headers-06, which clients read. */
export function rateLimitHeaders({
  limit,
  remaining,
  resetSeconds,
  windowSeconds,
  exceedsQuota: isHopeless,
}: RateLimitState): readonly string[] {
  return Object.entries({
    'RateLimit-Policy': `${limit};w=${windowSeconds}`,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    // The clients of OpenAI and Anthropic obey this header before the status.
    ...(isHopeless === true ? { 'x-should-retry': 'false' } : {}),
  }).flat();
}
