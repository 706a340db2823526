import type { RequestItem } from '../../../../src/client/client.ts';

/** A span of a call: where it begins and how long it takes, in milliseconds. */
export interface Span {
  readonly id: 'gateway' | 'first-token' | 'stream' | 'response';
  readonly title: string;
  readonly ms: number;
}

/** The spans of a call in their order; empty where its latency is not known. */
export function spansOf(request: Pick<RequestItem, 'latency' | 'time_to_first_token' | 'gateway_overhead_ms' | 'cached'>): readonly Span[] {
  const { latency, time_to_first_token: first, gateway_overhead_ms: overhead } = request;
  if (latency === null) return [];
  const gateway = Math.min(latency, overhead ?? 0);
  const rest =
    first === null
      ? [{ id: 'response', title: request.cached ? 'Response from the cache' : 'Response of the provider', ms: latency - gateway } as const]
      : [
          { id: 'first-token', title: 'Until the first token', ms: Math.max(0, Math.min(first, latency) - gateway) } as const,
          { id: 'stream', title: 'Stream', ms: Math.max(0, latency - Math.max(first, gateway)) } as const,
        ];
  return [...(overhead === null ? [] : [{ id: 'gateway', title: 'Gateway', ms: gateway } as const]), ...rest];
}

/** Output tokens a second while the answer was streamed; null where that cannot be said. */
export function tokensPerSecond({
  latency,
  time_to_first_token: first,
  completion_tokens: tokens,
}: Pick<RequestItem, 'latency' | 'time_to_first_token' | 'completion_tokens'>): number | null {
  if (latency === null || first === null || tokens === null || latency <= first) return null;
  return (1000 * tokens) / (latency - first);
}
