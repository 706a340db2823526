import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SessionItem } from '../../../src/client/client.ts';
import { formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import type { Figures } from '../../lib/metrics/groups.ts';
import { costWith } from '../../lib/metrics/metric-format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { SortButton } from '../../ui/table/sort-button.tsx';
import type { SessionSort } from './search.ts';

export interface SessionsTableProps {
  readonly sessions: readonly SessionItem[];
  /** What else is known of each, by its identifier. */
  readonly figures: ReadonlyMap<string, Figures> | undefined;
  readonly sort: SessionSort;
  readonly order: 'asc' | 'desc';
  readonly onSort: (sort: SessionSort, order: 'asc' | 'desc') => void;
}

export function SessionsTable({ sessions, figures, sort, order, onSort }: SessionsTableProps): ReactNode {
  const zone = timeZone();
  const sortable = (
    id: SessionSort,
    title: string,
    cell: (session: SessionItem) => ReactNode,
    isNumber = true,
  ): DataColumn<SessionItem> => ({
    id,
    title,
    head: <SortButton title={title} direction={id === sort ? order : undefined} onSort={(direction) => onSort(id, direction)} />,
    ...(id === sort ? { sorted: order === 'desc' ? 'descending' : 'ascending' } : {}),
    isNumber,
    cell,
  });
  const columns: readonly DataColumn<SessionItem>[] = [
    { id: 'session', title: 'Session', textOf: fullName, cell: (session) => <Name session={session} /> },
    { id: 'status', title: 'Status', cell: (session) => <Status session={session} /> },
    {
      ...sortable('total_cost', 'Cost', ({ session_id: id, total_cost: cost }) => costWith(cost, figures?.get(id))),
      costOf: ({ total_cost: cost }) => cost,
    },
    sortable('total_requests', 'Steps', ({ total_requests: requests }) => formatCount(requests)),
    sortable('failed', 'Errors', (session) => <Errors session={session} />),
    sortable('total_tokens', 'Tokens', ({ total_tokens: tokens }) => formatCount(tokens)),
    sortable('avg_latency', 'Average latency', ({ avg_latency: latency }) => formatDuration(latency)),
    sortable('latest_request_created_at', 'Latest step', ({ latest_request_created_at: at }) => formatTime(at, zone), false),
    { id: 'users', title: 'Users', takesRest: true, textOf: usersText, cell: usersText },
  ];
  return <DataTable label="Sessions" columns={columns} rows={sessions} isHeadKept isList keyOf={({ session_id: id }) => id} />;
}

const route = getRouteApi('/shell/sessions');

function Name({ session: { session_id: id, session_name: name } }: { readonly session: SessionItem }): ReactNode {
  const sessionsSearch = route.useSearch();
  return (
    <>
      <Link to="/sessions/$sessionId" params={{ sessionId: id }} state={(before) => ({ ...before, sessionsSearch })}>
        {name === '' ? id : name}
      </Link>
      {name !== '' && <span className="muted"> {id}</span>}
    </>
  );
}

/** Of all its requests. */
function Status({ session: { failed, total_requests: requests } }: { readonly session: SessionItem }): ReactNode {
  if (failed === 0) return <Badge kind="plain">ok</Badge>;
  return failed === requests ? <Badge kind="bad">failed</Badge> : <Badge kind="warning">some failed</Badge>;
}

/** The number of failed requests, which leads to them. */
function Errors({ session: { failed, session_id: id } }: { readonly session: SessionItem }): ReactNode {
  const q = searchFor('session', id);
  if (failed === 0 || q === undefined) return formatCount(failed);
  return (
    <Link to="/requests" search={{ q: `${q} failed:true`, range: 'all' }}>
      {formatCount(failed)}
    </Link>
  );
}

function fullName({ session_id: id, session_name: name }: SessionItem): string {
  return name === '' ? id : `${name} ${id}`;
}

function usersText({ user_ids: users }: SessionItem): string {
  return users.join(', ');
}
