import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { NumberCell } from '../requests/columns.ts';
import type { SessionFacts } from '../filter/record.ts';
import { sessionRowColumns, tagsOf, type SessionRow } from '../sessions/columns.ts';
import { overAll } from '../sessions/conditions.ts';

/** The statement for the `SessionRow`s of these sessions, over all their requests. */
export function sessionFactsStatement(tenant: OrganizationId, sessionIds: readonly string[]): Statement {
  const isOne = sql`session_id IN ${param(sessionIds, 'Array(String)')}`;
  const query = select({
    with: [tagsOf(isOne)],
    columns: sessionRowColumns(overAll),
    from: requests(isOne),
    groupBy: sql`session_id`,
  });
  return statementFor(tenant, query, 'long');
}

/** A request that a change of its session has reached. */
export interface ChangedMemberRow {
  readonly id: string;
  readonly created_ms: NumberCell;
}

export interface ChangedMembers {
  readonly sessionId: string;
  /** Of the change. */
  readonly number: number;
  /** The last one that was read. */
  readonly after: ChangedMemberRow | undefined;
  readonly limit: number;
}

/** The statement for the next {@link ChangedMemberRow}s. */
export function changedMembersStatement(tenant: OrganizationId, { sessionId, number, after, limit }: ChangedMembers): Statement {
  const behind =
    after === undefined
      ? []
      : [
          sql`(created_at, request_id) > (${dateTime64(Number(after.created_ms))}, ${param(uuidToNumber(after.id as RequestId), 'UInt128')})`,
        ];
  const query = select({
    columns: sql`id_text AS id, toUnixTimestamp64Milli(created_at) AS created_ms`,
    from: requests([sql`session_id = ${param(sessionId, 'String')}`, sql`has(session_changes, ${param(number, 'UInt64')})`, ...behind]),
    orderBy: sql`created_at, request_id`,
    limit: param(limit, 'UInt64'),
  });
  return statementFor(tenant, query, 'long');
}

export function factsOf(row: SessionRow): SessionFacts {
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
