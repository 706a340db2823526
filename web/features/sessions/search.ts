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
export const sessionSorts = ['latest_request_created_at', 'total_requests', 'failed', 'total_cost', 'total_tokens', 'avg_latency'] as const;

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

const sessionTabs = ['steps', 'timeline', 'conversation'] as const;

export type SessionTab = (typeof sessionTabs)[number];

const stepViews = ['conversation', 'raw', 'details', 'cost'] as const;

export type StepView = (typeof stepViews)[number];

/** What the address of a session says; what is absent is as it is at first. */
export interface SessionSearch {
  readonly tab?: SessionTab | undefined;
  /** The chosen row: the identifier of a request, or the key of a group. */
  readonly step?: string | undefined;
  readonly view?: StepView | undefined;
  /** Text that the shown steps contain. */
  readonly find?: string | undefined;
  /** Only steps that failed. */
  readonly failed?: boolean | undefined;
}

/** @returns what can be read; the rest is left out. */
export function sessionSearchOf({ tab, step, view, find, failed }: Readonly<Record<string, unknown>>): SessionSearch {
  const [knownTab, knownView] = [sessionTabs.find((name) => name === tab), stepViews.find((name) => name === view)];
  return {
    ...(knownTab === undefined ? {} : { tab: knownTab }),
    ...(textParam(step) === undefined ? {} : { step: textParam(step) }),
    ...(knownView === undefined ? {} : { view: knownView }),
    ...(textParam(find) === undefined ? {} : { find: textParam(find) }),
    ...(failed === true ? { failed } : {}),
  };
}
