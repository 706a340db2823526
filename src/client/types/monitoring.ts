/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */

export interface Health {
  /** `unavailable` goes with status 503. */
  readonly status: 'ok' | 'unavailable';
  /** Parts that do not work at the moment. */
  readonly failing: readonly string[];
  /** What works and is behind, or about to fail. */
  readonly degraded: readonly string[];
}
