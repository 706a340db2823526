import type { OrganizationId } from '../../model/ids.ts';
import { parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import type { SessionAggregates } from '../filter/record.ts';
import { sessionRowColumns, tagsOf, type SessionRow } from '../sessions/columns.ts';
import { overAll } from '../sessions/conditions.ts';

/** The statement for the `SessionRow`s of these sessions, over all their requests. */
export function sessionAggregatesStatement(tenant: OrganizationId, sessionIds: readonly string[]): Statement {
  const isOne = sql`session_id IN ${param(sessionIds, 'Array(String)')}`;
  const query = select({
    with: [tagsOf(isOne)],
    columns: sessionRowColumns(overAll),
    from: requests(isOne),
    groupBy: sql`session_id`,
  });
  return statementFor(tenant, query, 'long');
}

export function aggregatesOf(row: SessionRow): SessionAggregates {
  return {
    name: row.name,
    tag: row.tag,
    cost: parseMoney(row.cost_sum) ?? zeroMoney,
    totalTokens: BigInt(row.total_sum),
    promptTokens: BigInt(row.prompt_sum),
    completionTokens: BigInt(row.completion_sum),
    requests: Number(row.request_count),
    firstArrivalAt: Number(row.first_ms),
    latestArrivalAt: Number(row.latest_ms),
    properties: new Map(Object.entries(row.merged)),
  };
}
