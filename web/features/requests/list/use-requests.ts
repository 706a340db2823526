import { infiniteQueryOptions, type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Filter, RequestItem } from '../../../../src/client/client.ts';
import { allOf, everything, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { gatelog } from '../../../lib/client.ts';
import { readSearch } from '../../../lib/read-search.ts';
import { arrivedIn, type RangeSearch, timeRangeOf } from '../../../lib/time-range.ts';
import { type RequestsSearch, type SortKey, sorts, standardSort } from '../search.ts';

const pageLimit = 100;
/** What the keys of all lists begin with. */
export const listKey = ['requests'] as const;

export interface RequestList {
  readonly rows: readonly RequestItem[];
  /** How many match, exactly; undefined until it is known. */
  readonly total: number | undefined;
  readonly hint: string | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly loadMore: () => void;
}

export interface ListedRequests {
  readonly filter: FilterNode | undefined;
  readonly range: RangeSearch;
  readonly sort: SortKey;
}

/** The requests of a list, page by page. The first page says how many there are. */
export function useRequests(listed: ListedRequests): RequestList {
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(listOptions(listed));
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const [first] = data?.pages ?? [];
  return {
    rows,
    total: first?.totalCount,
    hint: first?.hint,
    error,
    isLoading: isPending,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}

/** Asks for the first page of a list before it is shown: a browser draws a page before it lets the page ask. */
export function expectRequests(queryClient: QueryClient, { q = '', sort = standardSort, ...range }: RequestsSearch & RangeSearch): void {
  const { filter } = readSearch(q);
  if (filter === undefined) return;
  const { range: relative, from, to } = range;
  // The list tells of a failure.
  queryClient.infiniteQuery(listOptions({ filter, range: { range: relative, from, to }, sort })).catch(() => undefined);
}

/** Where a page begins, and when the first page was asked for: all pages of a list have the same bounds. */
interface PagePlace {
  readonly cursor?: string;
  readonly asOf?: number;
}

const firstPage: PagePlace = {};

function listOptions({ filter, range, sort }: ListedRequests) {
  return infiniteQueryOptions({
    queryKey: [...listKey, filter, range, sort],
    enabled: filter !== undefined,
    initialPageParam: firstPage,
    queryFn: async ({ pageParam: { cursor, asOf = Date.now() }, signal }) => {
      const whole = filterJson(allOf([arrivedIn(timeRangeOf(range, asOf)), filter ?? everything])) as Filter;
      const query = { filter: whole, sort: sorts[sort].sort, limit: pageLimit, cursor, includeBodies: false };
      return { ...(await gatelog.requests.query(query, { signal, includeCount: cursor === undefined })), asOf };
    },
    getNextPageParam: ({ nextCursor, asOf }): PagePlace | undefined =>
      nextCursor === undefined ? undefined : { cursor: nextCursor, asOf },
  });
}
