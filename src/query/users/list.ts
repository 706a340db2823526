import type { UserItem, UserMetricsItem, UserMetricsQuery, UserQuery } from '../../contract/users/query.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { parseMoney, usdOf } from '../../model/pricing/money.ts';
import { isJsonObject } from '../../model/text.ts';
import type { SortDirection } from '../../model/vocabulary/sort.ts';
import { clampTime } from '../../model/vocabulary/timestamp.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { allOf, type FilterNode } from '../filter/ast.ts';
import { filterWrappers, type FilterDialect } from '../filter/leaf.ts';
import { parseFilter } from '../filter/parse.ts';
import { code, codeList, didYouMean, preview } from '../filter/preview.ts';
import { compileFilter } from '../filter/sql/compile.ts';
import type { NumberCell } from '../requests/columns.ts';
import { readDirection } from '../requests/sort.ts';
import { average } from '../sessions/ratio.ts';
import { isUserKey, splitUsersView, type UserSortKey, userValues } from './view.ts';

/** Users of one organisation: those with a request in the range that matches, and whose totals over these requests match. */
export interface UserSelection {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  /** Conditions on the time of requests. */
  readonly timeRange: readonly Fragment[];
  /** These, and others beside the filter. */
  readonly range: readonly Fragment[];
  readonly ofUsers: readonly Fragment[];
  /** Minutes east of UTC, where a day of activity begins. */
  readonly offsetMinutes: number;
}

interface UserSortTerm {
  readonly key: UserSortKey;
  readonly direction: SortDirection;
}

export interface UsersPlan extends UserSelection {
  readonly sort: readonly UserSortTerm[];
  readonly offset: number;
  readonly limit: number;
}

const dialect: FilterDialect = {
  wrappers: filterWrappers,
  unwrappedProperties: 'refuse',
  propertyWrapper: 'request_response_rmt',
};

/** The selection of a query of users. @returns the first fault in its filter. */
export function selectUsers(
  tenant: OrganizationId,
  { filter, timeFilter, timeZoneDifferenceMinutes }: Pick<UserMetricsQuery, 'filter' | 'timeFilter' | 'timeZoneDifferenceMinutes'>,
): Result<UserSelection> {
  const split = splitUsersView(filter ?? {});
  if (!split.ok) return split;
  const parsed = parseFilter(split.value.ofRequests, dialect);
  if (!parsed.ok) return parsed;
  const { startTimeUnixSeconds: from, endTimeUnixSeconds: to } = timeFilter ?? {};
  const range = [
    ...(from === undefined ? [] : [sql`created_at >= ${dateTime64(clampTime(Math.ceil(from * 1000)))}`]),
    ...(to === undefined ? [] : [sql`created_at <= ${dateTime64(clampTime(Math.floor(to * 1000)))}`]),
  ];
  return success({
    tenant,
    filter: allOf([parsed.value.filter]),
    timeRange: range,
    range,
    ofUsers: split.value.ofUsers,
    offsetMinutes: timeZoneDifferenceMinutes ?? 0,
  });
}

/** @returns the first fault in the filter or sort, when there is one. */
export function planUsers(tenant: OrganizationId, body: UserMetricsQuery): Result<UsersPlan> {
  const selection = selectUsers(tenant, body);
  if (!selection.ok) return selection;
  const sort = parseUserSort(body.sort);
  if (!sort.ok) return sort;
  return success({ ...selection.value, sort: sort.value, offset: body.offset ?? 0, limit: body.limit ?? 50 });
}

/** Rows of an answer without pages. */
const maxUsers = 10_000;

/** All users with what they cost, the most expensive first. */
export function planAllUsers(tenant: OrganizationId, { userIds, timeFilter }: UserQuery): Result<UsersPlan> {
  const selection = selectUsers(tenant, { filter: undefined, timeFilter, timeZoneDifferenceMinutes: undefined });
  if (!selection.ok) return selection;
  const named = userIds === undefined ? [] : [sql`user_id IN ${param(userIds, 'Array(String)')}`];
  const { range } = selection.value;
  return success({
    ...selection.value,
    range: [...range, ...named],
    sort: [{ key: 'cost', direction: 'desc' }],
    offset: 0,
    limit: maxUsers,
  });
}

function parseUserSort(sort: unknown): Result<readonly UserSortTerm[]> {
  if (sort === undefined) return success([{ key: 'last_active', direction: 'desc' }]);
  if (!isJsonObject(sort)) return bodyFault(['sort'], `\`sort\` takes an object such as {"cost": "desc"}; got ${preview(sort)}.`);
  const terms: UserSortTerm[] = [];
  for (const [key, value] of Object.entries(sort)) {
    const known = Object.keys(userValues);
    if (!isUserKey(key)) {
      return bodyFault(['sort', key], `Unknown sort key ${code(key)}.${didYouMean(key, known)} Known keys: ${codeList(known)}.`);
    }
    const direction = readDirection([key], value);
    if (!direction.ok) return direction;
    terms.push({ key, direction: direction.value });
  }
  return success(terms.length === 0 ? [{ key: 'last_active', direction: 'desc' }] : terms);
}

/** A user as JSONEachRow returns it. Times are Unix milliseconds, sums are text. */
export interface UserRow {
  readonly user_id: string;
  readonly days: NumberCell;
  readonly first_ms: NumberCell;
  readonly last_ms: NumberCell;
  readonly requests: NumberCell;
  readonly failed: NumberCell;
  readonly prompts: string;
  readonly completions: string;
  readonly usd: string;
}

/** The users of a selection with their totals. TRICKY: a sum of UInt64 wraps round silently. */
function totals({ filter, range, ofUsers, offsetMinutes }: UserSelection): Query {
  const local = sql`toUnixTimestamp64Milli(created_at) + ${param(offsetMinutes * 60_000, 'Int64')}`;
  const groups = select({
    columns: [
      sql`user_id`,
      sql`min(created_at) AS first_at`,
      sql`max(created_at) AS last_at`,
      sql`uniqExact(${local} - positiveModulo(${local}, 86400000)) AS days`,
      sql`count() AS request_count`,
      sql`countIf(failure_kind != '') AS failed_count`,
      sql`ifNull(sum(toUInt128(prompt_tokens)), 0) AS prompt_sum`,
      sql`ifNull(sum(toUInt128(completion_tokens)), 0) AS completion_sum`,
      sql`ifNull(sum(cost), 0) AS cost_sum`,
    ],
    from: requests([sql`user_id != ''`, ...range, ...(filter.kind === 'all' ? [] : [sql`(${compileFilter(filter, range)})`])]),
    groupBy: sql`user_id`,
  });
  return ofUsers.length === 0 ? groups : select({ columns: sql`*`, from: groups, where: ofUsers });
}

/** The statement for a page of {@link UserRow}s. Users that are equal in the sort follow their identifiers. */
export function usersStatement(plan: UsersPlan): Statement {
  const { tenant, sort, limit, offset } = plan;
  const terms = sort.map(({ key, direction }) => sql`${userValues[key]} ${direction === 'asc' ? sql`ASC` : sql`DESC`}`);
  const page = select({
    columns: [
      sql`user_id, days`,
      sql`toUnixTimestamp64Milli(first_at) AS first_ms, toUnixTimestamp64Milli(last_at) AS last_ms`,
      sql`request_count AS requests, failed_count AS failed`,
      sql`toString(prompt_sum) AS prompts, toString(completion_sum) AS completions, toString(cost_sum) AS usd`,
    ],
    from: totals(plan),
    orderBy: [...terms, sql`user_id ASC`],
    limit: param(limit, 'UInt64'),
    offset: param(offset, 'UInt64'),
  });
  return statementFor(tenant, page, 'long');
}

/** The statement for the number of users, as `user_count`. */
export function userCountStatement(selection: UserSelection): Statement {
  return statementFor(selection.tenant, select({ columns: sql`count() AS user_count`, from: totals(selection) }), 'long');
}

/** The statement for one row when the organisation has a user at all. */
export function anyUserStatement(tenant: OrganizationId): Statement {
  return statementFor(tenant, select({ columns: sql`1 AS found`, from: requests(sql`user_id != ''`), limit: 1 }), 'long');
}

/** One row for each user, with the columns that a distribution is made of. */
export function eachUser(selection: UserSelection): Query {
  const duration = sql`toUnixTimestamp64Milli(last_at) - toUnixTimestamp64Milli(first_at)`;
  return select({
    columns: sql`request_count AS requests_each, ${duration} AS duration_each, cost_sum AS cost_each`,
    from: totals(selection),
  });
}

/** A user of {@link planAllUsers} in upstream's shape. */
export function costItem(row: UserRow): UserItem {
  const { user_id, total_requests, total_prompt_tokens, total_completion_tokens, cost } = userItem(row);
  return { count: total_requests, prompt_tokens: total_prompt_tokens, completion_tokens: total_completion_tokens, user_id, cost };
}

/** A user in upstream's shape. */
export function userItem(row: UserRow): UserMetricsItem {
  const [count, prompts, completions] = [BigInt(row.requests), BigInt(row.prompts), BigInt(row.completions)];
  const cost = parseMoney(row.usd);
  if (cost === undefined) throw new TypeError('The store gave a sum that is no amount.');
  return {
    id: row.user_id,
    user_id: row.user_id,
    active_for: Number(row.days),
    first_active: new Date(Number(row.first_ms)).toISOString(),
    last_active: new Date(Number(row.last_ms)).toISOString(),
    total_requests: Number(count),
    failed: Number(row.failed),
    average_requests_per_day_active: average(count, BigInt(row.days)),
    average_tokens_per_request: average(prompts + completions, count),
    total_completion_tokens: Number(completions),
    total_prompt_tokens: Number(prompts),
    cost: usdOf(cost),
  };
}
