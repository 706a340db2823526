import type { RangeSearch } from '../../lib/time-range.ts';
import { textParam } from '../../lib/search-param.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Of the list that a session was opened from. */
    readonly sessionsSearch?: SessionsSearch & RangeSearch;
  }
}

/** What the address of the list says beside the range of time. */
export interface SessionsSearch {
  /** The search that its requests match, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** Part of the identifier or the name. */
  readonly name?: string | undefined;
  readonly sort?: SessionSort | undefined;
  readonly order?: 'asc' | undefined;
}

/** Orders of the list, by the column that shows them, as the API calls them. */
export const sessionSorts = ['latest_request_created_at', 'total_requests', 'total_cost', 'total_tokens', 'avg_latency'] as const;

export type SessionSort = (typeof sessionSorts)[number];

export const standardSessionSort: SessionSort = 'latest_request_created_at';

/** @returns what can be read; the rest is left out. */
export function sessionsSearchOf({ q, name, sort, order }: Readonly<Record<string, unknown>>): SessionsSearch {
  const known = sessionSorts.find((one) => one === sort);
  return {
    q: textParam(q),
    name: textParam(name),
    ...(known === undefined ? {} : { sort: known }),
    ...(order === 'asc' ? { order } : {}),
  };
}

export const sessionTabs = ['tree', 'conversation'] as const;

export type SessionTab = (typeof sessionTabs)[number];

export function sessionSearchOf({ tab }: Readonly<Record<string, unknown>>): { readonly tab?: SessionTab | undefined } {
  const known = sessionTabs.find((name) => name === tab);
  return known === undefined ? {} : { tab: known };
}
