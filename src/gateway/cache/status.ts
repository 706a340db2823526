import { withAliases } from '../http/headers.ts';
import type { CacheHit, Lease } from './single-flight.ts';
import type { BufferedResponse } from '../upstream/response-sink.ts';

export type CacheStatus =
  | { readonly kind: 'hit'; readonly found: CacheHit; readonly response: BufferedResponse }
  /** Without a lease the response is not kept. */
  | { readonly kind: 'miss'; readonly lease: Lease | undefined }
  | { readonly kind: 'unused'; readonly why: string };

/** Response headers that report the cache status. */
export function cacheHeaders(status: CacheStatus, isAliased: boolean): readonly string[] {
  switch (status.kind) {
    case 'unused':
      return ['svc-warning', `the cache was not used: ${status.why}`];
    case 'miss':
      return aliasedIf(isAliased, ['svc-cache', 'MISS']);
    case 'hit': {
      const { hit, bucket } = status.found;
      const headers = { 'svc-cache': 'HIT', 'svc-cache-bucket-idx': String(bucket), 'svc-cache-latency': String(hit.latencyMs) };
      return aliasedIf(isAliased, Object.entries(headers).flat());
    }
  }
}

function aliasedIf(isAliased: boolean, lines: readonly string[]): readonly string[] {
  return isAliased ? withAliases(lines) : lines;
}
