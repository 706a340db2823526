import { useQuery } from '@tanstack/react-query';
import type { RequestItem } from '../../../../src/client/client.ts';
import { allOf, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { conditionOf } from '../../../lib/metrics/dimensions.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { gatelog } from '../../../lib/client.ts';
import { listKey, wholeFilter } from './use-requests.ts';

export interface ListedRows {
  readonly filter: FilterNode | undefined;
  readonly range: RangeSearch;
  /** Those that are there. */
  readonly rows: readonly Pick<RequestItem, 'request_id'>[];
  readonly isLoading: boolean;
}

/** Whether an open request does not match its list; false while it is not known. @param id undefined: none is open. */
export function useIsUnlisted(id: string | undefined, { filter, range, rows, isLoading }: ListedRows): boolean {
  const isShown = rows.some(({ request_id: shown }) => shown === id);
  const isAsked = id !== undefined && filter !== undefined && !isLoading && !isShown;
  const { data } = useQuery({
    queryKey: [...listKey, 'listed', id, filter, range],
    enabled: isAsked,
    queryFn: async ({ signal }) => {
      const one = allOf([conditionOf('id', id ?? '') ?? allOf([]), filter ?? allOf([])]);
      return (await gatelog.requests.count({ filter: wholeFilter(one, range, Date.now()) }, { signal })).data;
    },
  });
  return isAsked && data === 0;
}
