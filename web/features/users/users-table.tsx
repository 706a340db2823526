import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UserMetricsItem } from '../../../src/client/client.ts';
import { formatAmount, formatCount, formatTime } from '../../lib/format.ts';
import type { Figures } from '../../lib/metrics/groups.ts';
import { costWith } from '../../lib/metrics/metric-format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { standardRange } from '../../lib/time-range.ts';
import { timeZone } from '../../lib/zone.ts';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { SortButton } from '../../ui/table/sort-button.tsx';
import type { UserSort } from './search.ts';

export interface UsersTableProps {
  readonly users: readonly UserMetricsItem[];
  /** What else is known of each, by its identifier. */
  readonly figures: ReadonlyMap<string, Figures> | undefined;
  /** Else a user may have called before and since. */
  readonly isAllTime: boolean;
  readonly sort: UserSort;
  readonly order: 'asc' | 'desc';
  readonly onSort: (sort: UserSort, order: 'asc' | 'desc') => void;
}

export function UsersTable({ users, figures, isAllTime, sort, order, onSort }: UsersTableProps): ReactNode {
  const zone = timeZone();
  const sortable = (
    id: UserSort,
    title: string,
    cell: (user: UserMetricsItem) => ReactNode,
    isNumber = true,
  ): DataColumn<UserMetricsItem> => ({
    id,
    title,
    head: <SortButton title={title} direction={id === sort ? order : undefined} onSort={(direction) => onSort(id, direction)} />,
    ...(id === sort ? { sorted: order === 'desc' ? 'descending' : 'ascending' } : {}),
    isNumber,
    cell,
  });
  const columns: readonly DataColumn<UserMetricsItem>[] = [
    { id: 'user', title: 'User', textOf: ({ user_id: id }) => id, cell: ({ user_id: id }) => <ToUser user={id} /> },
    { ...sortable('cost', 'Cost', ({ user_id: id, cost }) => costWith(cost, figures?.get(id))), costOf: ({ cost }) => cost },
    sortable('total_requests', 'Requests', ({ user_id: id, total_requests: requests }) => <RequestsOf user={id} requests={requests} />),
    sortable('failed', 'Errors', ({ user_id: id, failed }) => <ErrorsOf user={id} errors={failed} />),
    sortable('total_prompt_tokens', 'Input tokens', ({ total_prompt_tokens: tokens }) => formatCount(tokens)),
    sortable('total_completion_tokens', 'Output tokens', ({ total_completion_tokens: tokens }) => formatCount(tokens)),
    sortable('active_for', 'Active days', ({ active_for: days }) => formatCount(days)),
    sortable('first_active', isAllTime ? 'First seen' : 'First in this time', ({ first_active: at }) => formatTime(at, zone), false),
    sortable('last_active', isAllTime ? 'Last seen' : 'Last in this time', ({ last_active: at }) => formatTime(at, zone), false),
  ];
  return <DataTable label="Users" isList columns={columns} rows={users} isHeadKept keyOf={({ user_id: id }) => id} />;
}

function ToUser({ user }: { readonly user: string }): ReactNode {
  return (
    <Link
      to="/users/$userId"
      params={{ userId: user }}
      search={({ range, from, to }) => (from === undefined && to === undefined ? { range: range ?? standardRange } : { from, to })}
    >
      {user}
    </Link>
  );
}

function ErrorsOf({ user, errors }: { readonly user: string; readonly errors: number }): ReactNode {
  const q = searchFor('user', user);
  if (errors === 0 || q === undefined) return formatCount(errors);
  return (
    <Link
      to="/requests"
      aria-label={`${formatAmount(errors, 'failed request')} of ${user}`}
      search={({ range, from, to }) => ({ q: `${q} failed:true`, range, from, to })}
    >
      {formatCount(errors)}
    </Link>
  );
}

function RequestsOf({ user, requests }: { readonly user: string; readonly requests: number }): ReactNode {
  return (
    <Link
      to="/requests"
      aria-label={`${formatAmount(requests, 'request')} of ${user}`}
      search={(search) => ({ q: searchFor('user', user), range: search.range, from: search.from, to: search.to })}
    >
      {formatCount(requests)}
    </Link>
  );
}
