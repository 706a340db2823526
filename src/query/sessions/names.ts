import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { sessionName } from '../filter/sql/columns.ts';
import type { NumberCell } from '../requests/columns.ts';
import { conditionsOf, sessionGroups } from './conditions.ts';
import type { SessionSelection } from './selection.ts';
import { endOf, latenciesOf, startOf, sumOf } from './columns.ts';

const maxNames = 50;

/** Sessions of one name as JSONEachRow returns them. */
export interface SessionNameRow {
  readonly name: string;
  readonly first_ms: NumberCell;
  readonly latest_ms: NumberCell;
  readonly session_count: NumberCell;
  /** Whole number as text. */
  readonly latency_sum: string;
  readonly latency_count: NumberCell;
}

/** The statement for the names of matching sessions, the latest used first. */
export function sessionNamesStatement(selection: SessionSelection): Statement {
  const { clauses, aggregate } = sessionGroups(conditionsOf(selection), { allRequests: true });
  const each = select({
    ...clauses,
    columns: [
      sql`${sessionName} AS name`,
      sql`${startOf(aggregate)} AS first_at`,
      sql`${endOf(aggregate)} AS latest_at`,
      sql`${sumOf(sql`latency`, aggregate)} AS latency_each`,
      sql`${latenciesOf(aggregate)} AS latencies_each`,
    ],
  });
  const names = select({
    columns: sql`name, toUnixTimestamp64Milli(min(first_at)) AS first_ms, toUnixTimestamp64Milli(max(latest_at)) AS latest_ms, count() AS session_count, toString(sum(latency_each)) AS latency_sum, sum(latencies_each) AS latency_count`,
    from: each,
    groupBy: sql`name`,
    orderBy: sql`latest_ms DESC, name ASC`,
    limit: param(maxNames, 'UInt64'),
  });
  return statementFor(selection.tenant, names, 'long');
}
