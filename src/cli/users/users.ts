import {
  and,
  type Filter,
  type GatelogClient,
  type UserFilter,
  type UserMetricsItem,
  type UserMetricsQuery,
  whereUser,
} from '../../client/client.ts';
import { quoted } from '../../model/text.ts';
import { userSortKeys } from '../../model/vocabulary/sort.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { type FilterOptions, userFilterOf } from '../filter/filter.ts';
import { writeList } from '../base/lists.ts';
import { windowOf } from '../requests/window.ts';
import { sortOf } from '../base/sort.ts';
import { unpricedAmong } from '../base/unpriced.ts';
import { detailsText } from '../terminal/details.ts';
import { jsonText } from '../base/json.ts';
import { paintOf, rowWriter, writeLines } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { type Clock, costText, countText, momentText, notPriced } from '../terminal/texts.ts';
import { checkedZone } from '../base/time-window.ts';
import { shortUserSorts } from './names.ts';

export interface UsersOptions extends FilterOptions {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly timezone?: string;
  readonly sort?: string;
  readonly limit: number;
  readonly json?: true;
}

const pageLimit = 1000;

interface Row {
  readonly user: UserMetricsItem;
  /** Whether nothing is known of what the user cost. */
  readonly isUnpriced: boolean;
}

const none: ReadonlySet<string> = new Set();

/** Those whose requests cost nothing that is known. A condition on totals of users is none on requests, and all of theirs count then. */
async function unpricedOf(client: GatelogClient, users: readonly UserMetricsItem[], filter: UserFilter): Promise<ReadonlySet<string>> {
  const values = users.filter(({ cost }) => cost === 0).map(({ user_id: id }) => id);
  return unpricedAmong(client, { of: 'user', values, filter: hasTotals(filter) ? 'all' : (filter as Filter) });
}

function hasTotals(filter: UserFilter): boolean {
  return JSON.stringify(filter).includes('"users_view":');
}

/** `gatelog users`: users with their totals, the most recently active first; or one of them. */
export async function showUsers(dependencies: CommandDependencies, id: string | undefined, options: UsersOptions): Promise<void> {
  const clock = { now: dependencies.now(), timezone: checkedZone(options.timezone ?? 'UTC') };
  const filter = and(userFilterOf(options), ...windowOf(options, clock));
  const ofOne = id !== undefined && whereUser('user_user_id', 'equals', id);
  const query: UserMetricsQuery = { filter: and(filter, ofOne), sort: sortOf(options.sort, { keys: userSortKeys, short: shortUserSorts }) };
  if (id !== undefined) return showUser(dependencies, { id, query, filter, clock, isJson: options.json === true });
  const client = serviceClient(dependencies);
  const rows = rowWriter(dependencies, { columns: columnsOf(clock), json: options.json, values: ({ user }) => user });
  const withPrices = async (users: readonly UserMetricsItem[]): Promise<readonly Row[]> => {
    const unpriced = options.json === true ? none : await unpricedOf(client, users, filter);
    return users.map((user) => ({ user, isUnpriced: unpriced.has(user.user_id) }));
  };
  await writeList(dependencies, {
    ask: async ({ cursor = '0', limit }) => {
      const offset = Number(cursor);
      const { data, warnings, hint } = await client.users.query({ ...query, offset, limit });
      const next = offset + data.users.length;
      return { data: data.users, nextCursor: data.users.length === 0 || next >= data.count ? undefined : String(next), warnings, hint };
    },
    limit: options.limit,
    pageLimit,
    write: async (users) => rows.add(await withPrices(users)),
    noun: 'users',
  });
}

interface OneUser {
  readonly id: string;
  readonly query: UserMetricsQuery;
  /** Of the requests that count. */
  readonly filter: UserFilter;
  readonly clock: Clock;
  readonly isJson: boolean;
}

async function showUser(dependencies: CommandDependencies, { id, query, filter, clock, isJson }: OneUser): Promise<void> {
  const client = serviceClient(dependencies);
  const { data } = await client.users.query({ ...query, limit: 1 });
  const [user] = data.users;
  if (user === undefined) throw new CommandError(`No request that matches names the user ${quoted(id)}.`, exitCodes.notFound);
  if (isJson) return writeLines(dependencies, [jsonText(user, 2)]);
  const unpriced = await unpricedOf(client, [user], filter);
  const perDay = user.average_requests_per_day_active.toLocaleString('en', { maximumFractionDigits: 1 });
  const details = [
    ['User', user.user_id],
    [
      'Requests',
      `${countText(user.total_requests)}, ${perDay} a day on ${countText(user.active_for)} active ${user.active_for === 1 ? 'day' : 'days'}`,
    ],
    ['Cost', unpriced.has(user.user_id) ? notPriced : costText(user.cost)],
    ['Tokens', `${countText(user.total_prompt_tokens)} in, ${countText(user.total_completion_tokens)} out`],
    ['First', `${momentText(user.first_active, clock)} ${clock.timezone}`],
    ['Latest', `${momentText(user.last_active, clock)} ${clock.timezone}`],
  ] as const;
  return writeLines(dependencies, [detailsText(details, paintOf(dependencies))]);
}

/** In the order in which a narrow terminal shows them. */
function columnsOf(clock: Clock): readonly Column<Row>[] {
  return [
    { title: 'USER', text: ({ user: { user_id: id } }) => id, minWidth: 10, maxWidth: 48 },
    { title: 'COST', text: ({ user: { cost }, isUnpriced }) => (isUnpriced ? notPriced : costText(cost)), side: 'right' },
    { title: 'REQUESTS', text: ({ user: { total_requests: count } }) => countText(count), side: 'right' },
    { title: 'IN', text: ({ user: { total_prompt_tokens: tokens } }) => countText(tokens), side: 'right' },
    { title: 'OUT', text: ({ user: { total_completion_tokens: tokens } }) => countText(tokens), side: 'right' },
    { title: 'LATEST', text: ({ user: { last_active: at } }) => momentText(at, clock) },
    { title: 'FIRST', text: ({ user: { first_active: at } }) => momentText(at, clock), from: 100 },
    { title: 'DAYS', text: ({ user: { active_for: days } }) => countText(days), side: 'right', from: 100 },
  ];
}
