/** Permissions for pages of allowed origins, on both listeners. */
export const crossOrigin = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  /** All headers, ours and the provider's. The wildcard works only without credentials, and no key is in a cookie. */
  exposed: '*',
  /** Seconds to cache a preflight, the most that any browser accepts. */
  maxAgeSeconds: 7200,
} as const;
