/** What pages of another origin that a deployment allows may do, on both listeners. */
export const crossOrigin = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  /** All of our lines and the provider's. It holds for calls without cookies, which are the only ones: no key is in a cookie. */
  exposed: '*',
  /** Seconds for which a browser need not ask again: the most that any takes. */
  maxAgeSeconds: 7200,
} as const;
