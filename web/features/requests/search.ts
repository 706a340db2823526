import { textParam } from '../../lib/search-param.ts';

/** What the address of the page says beside the range of time. */
export interface RequestsSearch {
  /** The search, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** The request whose details are open. */
  readonly request?: string | undefined;
  readonly sort?: SortKey | undefined;
  /** Columns in their order; absent: the standard ones. `properties.Team` is a property. */
  readonly columns?: readonly string[] | undefined;
  /** Columns at the start that stay in view. */
  readonly pinned?: number | undefined;
  /** New requests come in as soon as they are stored. */
  readonly live?: boolean | undefined;
  /** Whether the builder of filters is open. */
  readonly builder?: boolean | undefined;
  /** Part of the details that is shown. */
  readonly tab?: TabKey | undefined;
}

const tabs = ['conversation', 'raw', 'details', 'cost', 'changes'] as const;

export type TabKey = (typeof tabs)[number];

export const standardTab: TabKey = 'conversation';

/** What saved views and addresses from before call an order. */
const formerSorts: Readonly<Record<string, SortKey>> = { dearest: 'costliest' };

/** Orders of the list: the key of the API and its direction. */
export const sorts = {
  newest: { label: 'Newest first', sort: { created_at: 'desc' } },
  oldest: { label: 'Oldest first', sort: { created_at: 'asc' } },
  costliest: { label: 'Most expensive first', sort: { cost: 'desc' } },
  slowest: { label: 'Slowest first', sort: { latency: 'desc' } },
  longest: { label: 'Most tokens first', sort: { total_tokens: 'desc' } },
} as const;

export type SortKey = keyof typeof sorts;

export const standardSort: SortKey = 'newest';

/** New requests come in at the top, so only where the newest stand there and the range has no end. */
export function isLive({ live = false, sort = standardSort, to }: RequestsSearch & { readonly to?: number | undefined }): boolean {
  return live && sort === 'newest' && to === undefined;
}

const maxColumns = 30;

/** @returns what can be read; the rest is left out. */
export function requestsSearchOf(search: Readonly<Record<string, unknown>>): RequestsSearch {
  const { q, request, sort, columns, pinned, live, builder, tab } = search;
  const names = Array.isArray(columns) ? [...new Set(columns.filter((name): name is string => typeof name === 'string'))] : [];
  return {
    q: textParam(q),
    ...(typeof request === 'string' ? { request } : {}),
    ...sortIn(sort),
    ...(names.length > 0 ? { columns: names.slice(0, maxColumns) } : {}),
    ...(typeof pinned === 'number' && Number.isInteger(pinned) && pinned > 0 ? { pinned } : {}),
    ...(live === true ? { live } : {}),
    ...(builder === true ? { builder } : {}),
    ...(tabs.some((known) => known === tab) ? { tab: tab as TabKey } : {}),
  };
}

function sortIn(sort: unknown): Pick<RequestsSearch, 'sort'> {
  if (typeof sort !== 'string') return {};
  if (Object.hasOwn(sorts, sort)) return { sort: sort as SortKey };
  return Object.hasOwn(formerSorts, sort) ? { sort: formerSorts[sort] } : {};
}
