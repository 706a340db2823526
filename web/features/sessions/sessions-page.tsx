import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Filter } from '../../../src/client/filters/filter.ts';
import type { SessionItem } from '../../../src/client/client.ts';
import { everything, type FilterNode } from '../../../src/query/filter/ast.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { type Figures, figuresOfQuery } from '../../lib/metrics/groups.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import { useMay } from '../../lib/signed-in.ts';
import { type RangeSearch, timeRangeOf } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { type SessionSort, type SessionsSearch, standardSessionSort } from './search.ts';
import { SessionsTable } from './sessions-table.tsx';
import styles from './sessions-page.module.css';

const route = getRouteApi('/shell/sessions');
const pageLimit = 50;

/** The sessions with a request in a range of time. */
export function SessionsPage(): ReactNode {
  const { q = '', name = '', sort = standardSessionSort, order = 'desc', range, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: SessionsSearch & RangeSearch): void => {
    void navigate({ search: (search) => ({ ...search, ...changed }) });
  };
  const { filter } = useReadSearch(q);
  const mayMake = useMay('admin');
  const list = useInfiniteQuery(listOptions({ filter, name, sort, order, range: { range, from, to } }));
  const [first] = list.data?.pages ?? [];
  const sessions = list.data?.pages.flatMap(({ data }) => data);
  const figures = useFigures(sessions, filter, { range, from, to });
  return (
    <Page
      title="Sessions"
      about={sizeText(first?.totalCount)}
      actions={
        mayMake && (
          <LinkButton to="/alerts/new" search={{ q: q === '' ? undefined : q, metric: 'cost', by: ['session'] }}>
            New alert rule
          </LinkButton>
        )
      }
      bar={
        <>
          <SearchBar value={q} onChange={(text) => change({ q: text === '' ? undefined : text })} />
          <NameField key={name} value={name} onChange={(text) => change({ name: text === '' ? undefined : text })} />
          <RangeSelect value={{ range, from, to }} onChange={change} />
        </>
      }
    >
      {list.error === null ? (
        <List
          {...{ sessions, sort, order }}
          figures={figures}
          hint={first?.hint}
          isSearched={q !== '' || name !== ''}
          isAllTime={range === 'all'}
          onChange={change}
          onSort={(chosen, direction) => change({ sort: chosen, order: direction === 'asc' ? 'asc' : undefined })}
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

function sizeText(count: number | undefined): string {
  return count === undefined ? '' : `${formatCount(count)} ${count === 1 ? 'session' : 'sessions'}`;
}

/** What the list does not have of its sessions. */
function useFigures(sessions: readonly SessionItem[] | undefined, filter: FilterNode | undefined, range: RangeSearch) {
  const values = sessions?.map(({ session_id: id }) => id) ?? [];
  return useQuery(figuresOfQuery({ filter: filter ?? everything, range, by: 'session', values, metrics: ['unpriced_count'] })).data;
}

interface Listed {
  readonly filter: FilterNode | undefined;
  readonly name: string;
  readonly sort: SessionSort;
  readonly order: 'asc' | 'desc';
  readonly range: RangeSearch;
}

function listOptions({ filter, name, sort, order, range }: Listed) {
  return infiniteQueryOptions({
    queryKey: ['sessions', filter, name, sort, order, range],
    enabled: filter !== undefined,
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const { from, to } = timeRangeOf(range, Date.now());
      const chosen = { filter: filterJson(filter ?? { kind: 'all' }) as Filter, search: name, sort: { [sort]: order } };
      const query = { ...chosen, limit: pageLimit, cursor, startTimeUnixMs: from, endTimeUnixMs: to };
      return gatelog.sessions.query(query, { signal, includeCount: cursor === undefined });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

interface ListProps {
  readonly sessions: readonly SessionItem[] | undefined;
  readonly figures: ReadonlyMap<string, Figures> | undefined;
  readonly sort: SessionSort;
  readonly order: 'asc' | 'desc';
  readonly onSort: (sort: SessionSort, order: 'asc' | 'desc') => void;
  readonly hint: string | undefined;
  readonly isSearched: boolean;
  readonly isAllTime: boolean;
  readonly onChange: (changed: SessionsSearch & RangeSearch) => void;
}

function List({ sessions, hint, isSearched, isAllTime, onChange, ...sorting }: ListProps): ReactNode {
  if (sessions === undefined) return <Loading what="Loading sessions" />;
  if (sessions.length > 0) return <SessionsTable sessions={sessions} {...sorting} />;
  return (
    <NoMatch
      title="No session matches"
      hint={hint}
      onClear={isSearched ? () => onChange({ q: undefined, name: undefined }) : undefined}
      onAllTime={isAllTime ? undefined : () => onChange({ range: 'all', from: undefined, to: undefined })}
    >
      <p className="muted">Calls with the header Svc-Session-Id make a session.</p>
    </NoMatch>
  );
}

/** Enter searches. */
function NameField({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }): ReactNode {
  const [text, setText] = useState(value);
  return (
    <form
      role="search"
      aria-label="Sessions by name"
      className={styles['name']}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Search sessions by name or identifier"
        placeholder="Name or identifier"
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        autoComplete="off"
      />
    </form>
  );
}
