import type { QueryClient } from '@tanstack/react-query';
import { readSearch } from '../../lib/read-search.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { beginningQuery, requestQuery } from './detail/request-query.ts';
import { listOptions } from './list/use-requests.ts';
import { expectEditor } from './raw/load-editor.ts';
import { isLive, type RequestsSearch, standardSort } from './search.ts';

/** Asks for the first page of the list before it is drawn: a browser draws a page before it lets the page ask. The list tells of a failure. */
export function expectRequests(
  queryClient: QueryClient,
  { q = '', sort = standardSort, live, ...range }: RequestsSearch & RangeSearch,
): void {
  const { filter } = readSearch(q);
  if (filter === undefined) return;
  const { range: relative, from, to } = range;
  queryClient
    .infiniteQuery(listOptions({ filter, range: { range: relative, from, to }, sort, isLive: isLive({ live, sort, to }) }))
    .catch(() => undefined);
}

/** The same for the request whose details are open, and for what shows it raw. */
export function expectRequest(queryClient: QueryClient, { request, tab }: RequestsSearch): void {
  if (request === undefined) return;
  if (tab === 'raw' && queryClient.getQueryData(requestQuery(request).queryKey) === undefined) {
    queryClient.query({ ...beginningQuery(request), staleTime: 'static' }).catch(() => undefined);
    expectEditor();
  } else queryClient.query({ ...requestQuery(request), staleTime: 'static' }).catch(() => undefined);
}
