import type { SessionItem, SessionQuery } from '../../client/client.ts';
import { sessionSortKeys } from '../../model/vocabulary/sort.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { writeList } from '../base/lists.ts';
import { sortOf } from '../base/sort.ts';
import { unpricedAmong } from '../base/unpriced.ts';
import { rowWriter } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { type Clock, costText, countText, lengthText, momentText, notPriced } from '../terminal/texts.ts';
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

interface Row {
  readonly session: SessionItem;
  /** Whether nothing is known of what it cost. */
  readonly isUnpriced: boolean;
}

const none: ReadonlySet<string> = new Set();

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
  const withPrices = async (sessions: readonly SessionItem[]): Promise<readonly Row[]> => {
    const { filter = 'all', startTimeUnixMs, endTimeUnixMs } = query;
    const values = sessions.filter(({ total_cost: cost }) => cost === 0).map(({ session_id: id }) => id);
    const range = { startTimeUnixMs, endTimeUnixMs };
    const unpriced = options.json === true ? none : await unpricedAmong(client, { of: 'session', values, filter, ...range });
    return sessions.map((session) => ({ session, isUnpriced: unpriced.has(session.session_id) }));
  };
  const rows = rowWriter(dependencies, { columns: columnsOf(clock), json: options.json, values: ({ session }) => session });
  await writeList(dependencies, {
    ask: (place) => client.sessions.query({ ...query, ...place }),
    limit: options.limit,
    pageLimit,
    write: async (sessions) => rows.add(await withPrices(sessions)),
    noun: 'sessions',
  });
}

/** In the order in which a narrow terminal shows them. */
function columnsOf(clock: Clock): readonly Column<Row>[] {
  return [
    { title: 'LATEST', text: ({ session: { latest_request_created_at: at } }) => momentText(at, clock) },
    { title: 'SESSION', text: ({ session: { session_id: id } }) => id, minWidth: 12, maxWidth: 48 },
    { title: 'REQUESTS', text: ({ session: { total_requests: count } }) => countText(count), side: 'right' },
    { title: 'COST', text: ({ session: { total_cost: cost }, isUnpriced }) => (isUnpriced ? notPriced : costText(cost)), side: 'right' },
    { title: 'NAME', text: ({ session: { session_name: name } }) => (name === '' ? '-' : name), minWidth: 10, maxWidth: 32 },
    { title: 'TOKENS', text: ({ session: { total_tokens: tokens } }) => countText(tokens), side: 'right' },
    { title: 'LATENCY', text: ({ session: { avg_latency: latency } }) => lengthText(latency), side: 'right' },
    {
      title: 'USERS',
      text: ({ session: { user_ids: users } }) => (users.length === 0 ? '-' : users.join(', ')),
      minWidth: 8,
      maxWidth: 32,
    },
  ];
}
