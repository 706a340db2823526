import { hashKey, infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Filter, RequestItem } from '../../../../src/client/client.ts';
import { allOf, everything, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { gatelog } from '../../../lib/client.ts';
import { arrivedIn, type RangeSearch, timeRangeOf } from '../../../lib/time-range.ts';
import { type SortKey, sorts } from '../search.ts';

/** More than a window shows. The fewer, the sooner they are there: rows of one user stand far from each other in the store. */
export const firstRows = 40;
/** Who scrolls gets more of them at a time. */
const furtherRows = [200, 500] as const;
/** What the keys of all lists begin with. */
export const listKey = ['requests'] as const;

export interface RequestList {
  readonly rows: readonly RequestItem[];
  /** How many match, exactly; undefined until it is known. */
  readonly total: number | undefined;
  readonly hint: string | undefined;
  readonly error: Error | null;
  /** Why the number is not known; the rows are there all the same. */
  readonly countError: Error | null;
  readonly isLoading: boolean;
  readonly loadMore: () => void;
}

export interface ListedRequests {
  readonly filter: FilterNode | undefined;
  readonly range: RangeSearch;
  readonly sort: SortKey;
  /** Requests that come in are added to the number of the first page, so both are read at once. */
  readonly isLive: boolean;
  /** What is asked beside the list tells how many there are. */
  readonly isCountElsewhere?: boolean;
}

/** The requests of a list, page by page, and how many there are. */
export function useRequests(listed: ListedRequests): RequestList {
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(listOptions(listed));
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const [first] = data?.pages ?? [];
  // Rows are there sooner when nobody counts beside them.
  const isCounted = first !== undefined && first.totalCount === undefined && first.nextCursor !== undefined;
  const counted = useQuery({
    ...countOptions(listed, first?.asOf ?? 0),
    enabled: isCounted && listed.isCountElsewhere !== true,
    // The number stays in view while the list is read again.
    placeholderData: (before, query) => (isCountOf(query, listed) ? before : undefined),
  });
  return {
    rows,
    total: isCounted ? counted.data : (first?.totalCount ?? first?.data.length),
    hint: first?.hint,
    error,
    countError: counted.error,
    isLoading: isPending,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}

/** Where a page begins, and when the first page was asked for: all pages of a list have the same bounds. */
interface PagePlace {
  readonly cursor?: string;
  readonly asOf?: number;
  readonly limit?: number;
}

const firstPage: PagePlace = {};

export function listOptions({ filter, range, sort, isLive: isCounted }: ListedRequests) {
  return infiniteQueryOptions({
    // TRICKY: without `isLive`. A list is read again anyway when live is switched, and its rows stay in view meanwhile.
    queryKey: [...listKey, filter, range, sort],
    enabled: filter !== undefined,
    initialPageParam: firstPage,
    queryFn: async ({ pageParam: { cursor, asOf = Date.now(), limit = firstRows }, signal }) => {
      const query = { filter: wholeFilter(filter, range, asOf), sort: sorts[sort].sort, limit, cursor, includeBodies: false };
      return { ...(await gatelog.requests.query(query, { signal, includeCount: isCounted && cursor === undefined })), asOf };
    },
    getNextPageParam: ({ nextCursor, asOf }, pages): PagePlace | undefined =>
      nextCursor === undefined ? undefined : { cursor: nextCursor, asOf, limit: furtherRows[pages.length > 1 ? 1 : 0] },
  });
}

/** @param asOf when the first page was asked for. */
function countOptions({ filter, range }: ListedRequests, asOf: number) {
  return queryOptions({
    queryKey: [...listKey, 'count', filter, range, asOf],
    queryFn: async ({ signal }) => (await gatelog.requests.count({ filter: wholeFilter(filter, range, asOf) }, { signal })).data,
  });
}

export function wholeFilter(filter: FilterNode = everything, range: RangeSearch, asOf: number): Filter {
  return filterJson(allOf([arrivedIn(timeRangeOf(range, asOf)), filter])) as Filter;
}

/** Whether a count is of the same selection, at whatever time. */
function isCountOf(query: { readonly queryKey: readonly unknown[] } | undefined, { filter, range }: ListedRequests): boolean {
  return query !== undefined && hashKey(query.queryKey.slice(0, -1)) === hashKey([...listKey, 'count', filter, range]);
}
