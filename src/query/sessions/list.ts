import { select } from '../../sql/query.ts';
import { type Fragment, param, type Query, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import type { NumberCell } from '../requests/columns.ts';
import { behindSession, sessionOrderBy } from './order.ts';
import {
  conditionsOf,
  matchFlag,
  overAll,
  type MatchedAggregate,
  overMatched,
  type SessionConditions,
  sessionGroups,
} from './conditions.ts';
import type { SessionsPlan } from './query.ts';
import type { SessionSelection } from './selection.ts';
import { costOf, latenciesOf, requestsOf, sessionRowColumns, sumOf, tagsOf } from './columns.ts';

/**
 * The statement for a page of `SessionRow`s. It reads twice: the few columns that find the sessions of the page, then
 * everything about these. Both reads see one state of the table, so totals are those of whole records.
 */
export function sessionPageStatement(plan: SessionsPlan): Statement {
  const conditions = conditionsOf(plan);
  const { matched, inRange } = conditions;
  const keys = select({ columns: sql`(groupArray(session_id), min(from_at), max(to_at))`, from: pageKeys(plan, conditions) });
  const aggregate = matched === undefined ? overAll : overMatched;
  const query = select({
    with: [...(matched === undefined ? [] : [matchFlag(matched)]), sql`${keys} AS page`, tagsOf(onThePage)],
    columns: sessionRowColumns(aggregate),
    from: requests([...inRange, ...onPage(conditions)]),
    groupBy: sql`session_id`,
    orderBy: sessionOrderBy(plan.sort, aggregate),
  });
  return statementFor(plan.tenant, query, 'long');
}

/** The sessions of the page with their times. */
function pageKeys({ sort, after, limit, offset }: SessionsPlan, conditions: SessionConditions): Query {
  const behind = after === undefined ? {} : { more: (over: MatchedAggregate) => behindSession(sort, after, over) };
  const { clauses, aggregate } = sessionGroups(conditions, { allRequests: false, ...behind });
  return select({
    ...clauses,
    columns: sql`session_id, min(created_at) AS from_at, max(created_at) AS to_at`,
    orderBy: sessionOrderBy(sort, aggregate),
    limit: param(limit, 'UInt64'),
    offset: param(offset, 'UInt64'),
  });
}

/** Rows of the page's sessions. Where the sessions were found over all their requests, their times bound the rows. */
function onPage({ matched, having }: SessionConditions): readonly Fragment[] {
  const times = matched === undefined || having !== undefined ? [sql`created_at >= page.2`, sql`created_at <= page.3`] : [];
  return [...times, onThePage];
}

const onThePage: Fragment = sql`session_id IN (page.1)`;

/** The number of sessions and their sums; sums are text. */
export interface SessionTotalsRow {
  readonly session_count: NumberCell;
  readonly cost_sum: string;
  readonly request_sum: string;
  readonly latency_sum: string;
  readonly latency_count: string;
}

/** The statement for the number and the sums of all matching sessions. */
export function sessionTotalsStatement(selection: SessionSelection): Statement {
  const { clauses, aggregate } = sessionGroups(conditionsOf(selection), { allRequests: false });
  const each = select({
    ...clauses,
    columns: [
      sql`${costOf(aggregate)} AS cost_each`,
      sql`${requestsOf(aggregate)} AS requests_each`,
      sql`${sumOf(sql`latency`, aggregate)} AS latency_each`,
      sql`${latenciesOf(aggregate)} AS latencies_each`,
    ],
  });
  const sums = sql`count() AS session_count, toString(sum(cost_each)) AS cost_sum, toString(sum(requests_each)) AS request_sum, toString(sum(latency_each)) AS latency_sum, toString(sum(latencies_each)) AS latency_count`;
  return statementFor(selection.tenant, select({ columns: sums, from: each }), 'long');
}

/** The statement for the number of sessions alone, as `session_count`. */
export function sessionCountStatement(selection: SessionSelection): Statement {
  const { clauses } = sessionGroups(conditionsOf(selection), { allRequests: false });
  const sessions = select({ ...clauses, columns: sql`session_id` });
  return statementFor(selection.tenant, select({ columns: sql`count() AS session_count`, from: sessions }), 'long');
}
