/** What the address of the list says beside the range of time. */
export interface SessionsSearch {
  /** Part of the identifier or the name. */
  readonly name?: string | undefined;
  readonly sort?: SessionSort | undefined;
}

/** Orders of the list: the key of the API and its direction. */
export const sessionSorts = {
  latest: { label: 'Latest first', sort: { latest_request_created_at: 'desc' } },
  dearest: { label: 'Dearest first', sort: { total_cost: 'desc' } },
  longest: { label: 'Most requests first', sort: { total_requests: 'desc' } },
  tokens: { label: 'Most tokens first', sort: { total_tokens: 'desc' } },
  slowest: { label: 'Slowest first', sort: { avg_latency: 'desc' } },
} as const;

export type SessionSort = keyof typeof sessionSorts;

export const standardSessionSort: SessionSort = 'latest';

/** @returns what can be read; the rest is left out. */
export function sessionsSearchOf({ name, sort }: Readonly<Record<string, unknown>>): SessionsSearch {
  return {
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(typeof sort === 'string' && Object.hasOwn(sessionSorts, sort) ? { sort: sort as SessionSort } : {}),
  };
}
