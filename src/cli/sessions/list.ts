import type { SessionItem, SessionQuery } from '../../client/client.ts';
import { sessionSortKeys } from '../../model/vocabulary/sort.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { writeList } from '../base/lists.ts';
import { sortOf } from '../base/sort.ts';
import { rowWriter } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { type Clock, costText, countText, lengthText, momentText } from '../terminal/texts.ts';
import { checkedZone, timeOf } from '../base/time-window.ts';
import { shortSessionSorts } from './names.ts';

export interface SessionsListOptions extends FilterOptions {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly timezone?: string;
  readonly search?: string;
  readonly name?: string;
  readonly sort?: string;
  readonly limit: number;
  readonly json?: true;
}

const pageLimit = 1000;

/** `gatelog sessions list`: sessions that match, the one used last first unless another order is asked for. */
export async function listSessions(dependencies: CommandDependencies, options: SessionsListOptions): Promise<void> {
  const clock = { now: dependencies.now(), timezone: checkedZone(options.timezone ?? 'UTC') };
  const at = (option: string, text: string | undefined): number | undefined =>
    text === undefined ? undefined : timeOf(text, { option, ...clock });
  const end = at('--until', options.endDate);
  const query: SessionQuery = {
    filter: filterOf(options),
    startTimeUnixMs: at('--since', options.startDate),
    // The window is half open.
    endTimeUnixMs: end === undefined ? undefined : end - 1,
    search: options.search,
    nameEquals: options.name,
    sort: sortOf(options.sort, { keys: Object.keys(sessionSortKeys), short: shortSessionSorts }),
  };
  const client = serviceClient(dependencies);
  const rows = rowWriter(dependencies, { columns: columnsOf(clock), json: options.json });
  await writeList(dependencies, {
    ask: (place) => client.sessions.query({ ...query, ...place }),
    limit: options.limit,
    pageLimit,
    write: rows.add,
    noun: 'sessions',
  });
}

/** In the order in which a narrow terminal shows them. */
function columnsOf(clock: Clock): readonly Column<SessionItem>[] {
  return [
    { title: 'LATEST', text: ({ latest_request_created_at: at }) => momentText(at, clock) },
    { title: 'SESSION', text: ({ session_id: id }) => id, minWidth: 12, maxWidth: 48 },
    { title: 'REQUESTS', text: ({ total_requests: count }) => countText(count), side: 'right' },
    { title: 'COST', text: ({ total_cost: cost }) => costText(cost), side: 'right' },
    { title: 'NAME', text: ({ session_name: name }) => (name === '' ? '-' : name), minWidth: 10, maxWidth: 32 },
    { title: 'TOKENS', text: ({ total_tokens: tokens }) => countText(tokens), side: 'right' },
    { title: 'LATENCY', text: ({ avg_latency: latency }) => lengthText(latency), side: 'right' },
    { title: 'USERS', text: ({ user_ids: users }) => (users.length === 0 ? '-' : users.join(', ')), minWidth: 8, maxWidth: 32 },
  ];
}
