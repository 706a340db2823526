import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UserMetricsItem } from '../../../src/client/client.ts';
import type { UserFilter } from '../../../src/client/filters/filter.ts';
import { allOf, everything, type FilterNode } from '../../../src/query/filter/ast.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { type Figures, figuresOfQuery } from '../../lib/metrics/groups.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import { arrivedIn, type RangeSearch, timeRangeOf } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { standardUserSort, type UserSort, type UsersSearch } from './search.ts';
import { UsersTable } from './users-table.tsx';

const route = getRouteApi('/shell/users');
const pageLimit = 100;

/** The users with a request in a range of time, and what they cost in it. */
export function UsersPage(): ReactNode {
  const { q = '', sort = standardUserSort, order = 'desc', range, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: UsersSearch & RangeSearch): void => {
    void navigate({ search: (search) => ({ ...search, ...changed }) });
  };
  const { filter } = useReadSearch(q);
  const list = useInfiniteQuery(listOptions({ filter, sort, order, range: { range, from, to } }));
  const total = list.data?.pages[0]?.count;
  const users = list.data?.pages.flatMap((page) => page.users);
  const figures = useFigures(users, filter, { range, from, to });
  return (
    <Page
      title="Users"
      about={total === undefined ? '' : `${formatCount(total)} ${total === 1 ? 'user' : 'users'}`}
      bar={
        <>
          <SearchBar value={q} onChange={(text) => change({ q: text === '' ? undefined : text })} />
          <RangeSelect value={{ range, from, to }} onChange={change} />
        </>
      }
    >
      {list.error === null ? (
        <List
          users={users}
          figures={figures}
          hint={list.data?.pages[0]?.hint}
          isAllTime={range === 'all'}
          hasUsers={list.data?.pages[0]?.hasUsers !== false}
          {...{ sort, order }}
          onSort={(chosen, direction) => change({ sort: chosen, order: direction === 'asc' ? 'asc' : undefined })}
          isSearched={q !== ''}
          onChange={change}
        />
      ) : (
        <PageError error={list.error} />
      )}
      {list.hasNextPage && (
        <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Page>
  );
}

interface ListProps {
  readonly users: readonly UserMetricsItem[] | undefined;
  readonly figures: ReadonlyMap<string, Figures> | undefined;
  readonly isAllTime: boolean;
  readonly hasUsers: boolean;
  readonly sort: UserSort;
  readonly order: 'asc' | 'desc';
  readonly onSort: (sort: UserSort, order: 'asc' | 'desc') => void;
  readonly hint: string | undefined;
  readonly isSearched: boolean;
  readonly onChange: (changed: UsersSearch & RangeSearch) => void;
}

function List({ users, figures, hint, hasUsers, isSearched, onChange, ...sorting }: ListProps): ReactNode {
  if (users === undefined) return <Loading what="Loading users" />;
  if (users.length > 0) return <UsersTable users={users} figures={figures} {...sorting} />;
  // Where no request names a user, no other search or time finds one.
  const [mayClear, mayWiden] = [hasUsers && isSearched, hasUsers && !sorting.isAllTime];
  return (
    <NoMatch
      title={hasUsers ? 'No user matches' : 'No request names a user yet'}
      hint={hasUsers ? hint : undefined}
      onClear={mayClear ? () => onChange({ q: undefined }) : undefined}
      onAllTime={mayWiden ? () => onChange({ range: 'all', from: undefined, to: undefined }) : undefined}
    >
      <p className="muted">Calls with the header Svc-User-Id belong to a user.</p>
    </NoMatch>
  );
}

/** What the list does not have of its users. */
function useFigures(users: readonly UserMetricsItem[] | undefined, filter: FilterNode | undefined, range: RangeSearch) {
  const values = users?.map(({ user_id: id }) => id) ?? [];
  return useQuery(figuresOfQuery({ filter: filter ?? everything, range, by: 'user', values, metrics: ['unpriced_count'] })).data;
}

interface Listed {
  readonly filter: FilterNode | undefined;
  readonly sort: UserSort;
  readonly order: 'asc' | 'desc';
  readonly range: RangeSearch;
}

function listOptions({ filter, sort, order, range }: Listed) {
  return infiniteQueryOptions({
    queryKey: ['users', filter, sort, order, range],
    enabled: filter !== undefined,
    placeholderData: keepPreviousData,
    initialPageParam: { offset: 0, asOf: Date.now() },
    queryFn: async ({ pageParam: { offset, asOf }, signal }) => {
      const whole = filterJson(allOf([arrivedIn(timeRangeOf(range, asOf)), filter ?? { kind: 'all' }])) as UserFilter;
      const { data, hint } = await gatelog.users.query({ filter: whole, sort: { [sort]: order }, limit: pageLimit, offset }, { signal });
      return { ...data, hint, offset, asOf };
    },
    getNextPageParam: ({ users, count, offset, asOf }) => {
      const next = offset + users.length;
      return users.length === 0 || next >= count ? undefined : { offset: next, asOf };
    },
  });
}
