import type { Filter } from '../../src/client/client.ts';
import { gatelog } from './client.ts';

export interface CountOptions {
  /** Counts those up to this time alone, Unix milliseconds. */
  readonly untilMs?: number;
  readonly signal?: AbortSignal;
}

/** How many requests on record a filter finds. */
export async function countRequests(filter: Filter, { untilMs, signal }: CountOptions = {}): Promise<number> {
  const time = untilMs === undefined ? {} : { timeFilter: { endTimeUnixMs: untilMs } };
  const body = { metrics: ['count'], filter, ...time } as const;
  const { data } = await gatelog.call('POST /v1/metrics/query', { body, signal });
  return Number((data[0] as { readonly count?: unknown } | undefined)?.count ?? 0);
}
