/** How a limit stands that refuses. */
export interface RateLimitState {
  /** What may be used in one window; whole numbers. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds after which there is some again. */
  readonly resetSeconds: number;
  /** Seconds of a window. */
  readonly windowSeconds: number;
  /** The call is larger than the whole quota, so that no wait helps. */
  readonly isHopeless?: true;
}

/** Header lines of an answer 429, name and value in turn, as draft-ietf-httpapi-ratelimit-headers (06) has them, which clients read. */
export function rateLimitHeaders({ limit, remaining, resetSeconds, windowSeconds, isHopeless }: RateLimitState): readonly string[] {
  return Object.entries({
    'RateLimit-Policy': `${limit};w=${windowSeconds}`,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    // What the clients of OpenAI and Anthropic obey before the status.
    ...(isHopeless === true ? { 'x-should-retry': 'false' } : {}),
  }).flat();
}
