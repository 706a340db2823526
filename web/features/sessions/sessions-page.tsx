import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SessionItem } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCost, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { type RangeSearch, relativeRanges, type RelativeRange, standardRange, timeRangeOf } from '../../lib/time-range.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { Select } from '../../ui/select.tsx';
import { type SessionSort, sessionSorts, type SessionsSearch, standardSessionSort } from './search.ts';
import styles from './sessions-page.module.css';

const route = getRouteApi('/shell/sessions');
const pageLimit = 50;

const rangeOptions = Object.entries(relativeRanges).map(([value, { label }]) => ({ value: value as RelativeRange, label }));
const sortOptions = Object.entries(sessionSorts).map(([value, { label }]) => ({ value: value as SessionSort, label }));

/** The sessions with a request in a range of time. */
export function SessionsPage(): ReactNode {
  const { name = '', sort = standardSessionSort, range, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: SessionsSearch & { readonly range?: RelativeRange }): void => {
    void navigate({ search: (search) => ({ ...search, ...changed }) });
  };
  const list = useInfiniteQuery(listOptions({ name, sort, range: { range, from, to } }));
  const total = list.data?.pages[0]?.totalCount;
  return (
    <div className={styles['page']}>
      <header className={styles['bar']}>
        <h1>Sessions</h1>
        <p className="muted" aria-live="polite">
          {total === undefined ? '' : `${formatCount(total)} ${total === 1 ? 'session' : 'sessions'}`}
        </p>
      </header>
      <div className={styles['bar']}>
        <NameField key={name} value={name} onChange={(text) => change({ name: text === '' ? undefined : text })} />
        <Select label="Time" value={range ?? standardRange} options={rangeOptions} onChange={(value) => change({ range: value })} />
        <Select label="Order" value={sort} options={sortOptions} onChange={(value) => change({ sort: value })} />
      </div>
      {list.error !== null ? (
        <PageError error={list.error} />
      ) : list.data === undefined ? (
        <Loading what="Loading sessions" />
      ) : (
        <Table sessions={list.data.pages.flatMap(({ data }) => data)} />
      )}
      {list.hasNextPage && (
        <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </div>
  );
}

interface Listed {
  readonly name: string;
  readonly sort: SessionSort;
  readonly range: RangeSearch;
}

function listOptions({ name, sort, range }: Listed) {
  return infiniteQueryOptions({
    queryKey: ['sessions', name, sort, range],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const { from, to } = timeRangeOf(range, Date.now());
      const query = { search: name, sort: sessionSorts[sort].sort, limit: pageLimit, cursor, startTimeUnixMs: from, endTimeUnixMs: to };
      return gatelog.sessions.query(query, { signal, includeCount: cursor === undefined });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Enter searches. */
function NameField({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }): ReactNode {
  const [text, setText] = useState(value);
  return (
    <form
      role="search"
      className={styles['search']}
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

function Table({ sessions }: { readonly sessions: readonly SessionItem[] }): ReactNode {
  if (sessions.length === 0) {
    return (
      <Empty title="No session matches">
        <p className="muted">Calls with the header Svc-Session-Id make a session. A longer time may show some.</p>
      </Empty>
    );
  }
  const zone = timeZone();
  return (
    <div className={styles['scroller']} role="region" aria-label="Sessions" tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Latest request</th>
            <th scope="col" className="number">
              Requests
            </th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
            <th scope="col" className="number">
              Mean latency
            </th>
            <th scope="col">Users</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <Row key={session.session_id} session={session} zone={zone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ session, zone }: { readonly session: SessionItem; readonly zone: string }): ReactNode {
  const { session_id: id, session_name: name, user_ids: users } = session;
  return (
    <tr>
      <th scope="row">
        <span className="clip" dir="auto" title={name === '' ? id : `${name} ${id}`}>
          <Link to="/sessions/$sessionId" params={{ sessionId: id }}>
            {name === '' ? id : name}
          </Link>
          {name !== '' && <span className="muted"> {id}</span>}
        </span>
      </th>
      <td>{formatTime(session.latest_request_created_at, zone)}</td>
      <td className="number">{formatCount(session.total_requests)}</td>
      <td className="number">{formatCost(session.total_cost)}</td>
      <td className="number">{formatCount(session.total_tokens)}</td>
      <td className="number">{formatDuration(session.avg_latency)}</td>
      <td>
        <span className="clip" dir="auto" title={users.join(', ')}>
          {users.join(', ')}
        </span>
      </td>
    </tr>
  );
}
