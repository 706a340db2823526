import { type Result, success } from '../../model/fault.ts';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { tenantRows, requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { afterKeyset, cursorBehind, parseCursor, type Keyset } from '../requests/cursor.ts';
import { condition } from '../filter/ast.ts';
import { newestTag } from '../filter/sql/compile-session.ts';
import { orderOf } from '../requests/order.ts';
import { noFlags, type RequestSelection } from '../requests/selection.ts';
import { decodeRequestRow, type NumberCell, requestRowColumns } from '../requests/columns.ts';
import type { RequestKey } from '../requests/select.ts';

export interface SessionPlan {
  readonly tenant: OrganizationId;
  readonly sessionId: string;
  /** Maximum requests; at most a thousand. */
  readonly limit: number;
  readonly after: Keyset | undefined;
}

/** Maximum nodes of a tree. The deepest are omitted first. */
export const maxNodes = 5_000;

/**
 * A node of the tree with its totals, the root first, then level by level. Only the root's row has the session's aggregates and the keys of the
 * page. Numbers that may be large are text.
 */
export interface SessionNodeRow {
  readonly node: string;
  readonly requests: NumberCell;
  readonly failed: NumberCell;
  readonly cost_text: string;
  readonly prompt_tokens_text: string;
  readonly completion_tokens_text: string;
  readonly total_tokens_text: string;
  /** The sum of the latencies, and their number. */
  readonly latency_text: string;
  readonly timed: NumberCell;
  readonly first_ms: NumberCell;
  readonly latest_ms: NumberCell;
  readonly ended_text: string;
  readonly name: string;
  readonly users: readonly string[];
  readonly newest_properties: Readonly<Record<string, string>>;
  readonly aliased: boolean;
  readonly page_ms: readonly NumberCell[];
  readonly page_ids: readonly string[];
  readonly session_tag: string;
}

/** @returns the fault in the cursor when there is one. */
export function planSession(
  tenant: OrganizationId,
  sessionId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Result<SessionPlan> {
  const after = page.cursor === undefined ? success(undefined) : parseCursor(page.cursor, selectionOf(tenant, sessionId));
  // Here the cursor is a parameter.
  if (!after.ok) return { ok: false, fault: { ...after.fault, code: 'invalid_parameter' } };
  return success({ tenant, sessionId, limit: page.limit, after: after.value });
}

/**
 * The statement for the requests of a session as `SessionRequestRow`s, the oldest first, one more than the plan's limit. When no more than
 * the limit return, they are the whole session, and `totals.ts` computes from them what {@link sessionStatement} returns.
 */
export function fullSessionStatement({ tenant, sessionId, limit }: SessionPlan): Statement {
  const query = select({
    columns: [requestRowColumns, tagOf(sessionId)],
    from: requests(ofSession(sessionId)),
    orderBy: sql`created_at, request_id`,
    limit: param(limit + 1, 'UInt64'),
  });
  return statementFor(tenant, query, 'short', decodeRequestRow);
}

function tagOf(sessionId: string): Fragment {
  return sql`${select({ columns: newestTag, from: tenantRows('session_tags', ofSession(sessionId)) })} AS session_tag`;
}

/**
 * The statement for a session: {@link SessionNodeRow}s, none without requests. Invariant: the rows of the session are read once, so that
 * the totals, the tree and the keys of the page are those of one set of requests. TRICKY: no alias is the name of a column of the table,
 * because the engine would read it in WHERE and in the aggregates too.
 */
export function sessionStatement(plan: SessionPlan): Statement {
  const byPath = select({
    columns: [sql`${levels} AS levels`, aggregatesOfPath(plan)],
    from: requests(ofSession(plan.sessionId)),
    groupBy: sql`levels`,
  });
  const byNode = select({
    columns: sql`*, arrayJoin(range(0, length(levels) + 1)) AS depth, concat('/', arrayStringConcat(arraySlice(levels, 1, depth), '/')) AS node`,
    from: byPath,
  });
  const nodes = select({
    columns: [aggregatesOfNode, tagOf(plan.sessionId)],
    from: byNode,
    groupBy: sql`node, depth`,
    orderBy: sql`depth, node`,
    limit: param(maxNodes + 1, 'UInt64'),
  });
  return statementFor(plan.tenant, nodes, 'long');
}

// As in `path.ts`; the number is its `deepestLevel`.
const levels = sql`arraySlice(arrayFilter(name -> name != '', splitByChar('/', session_path)), 1, 32)`;

/** TRICKY: a sum of UInt64 wraps round silently. */
function aggregatesOfPath({ after }: SessionPlan): Fragment {
  const behindCursor = after === undefined ? sql`true` : afterKeyset(orderOf(oldestFirst), after);
  return sql`count() AS path_requests, countIf(failure_kind != '') AS path_failed, sum(cost) AS path_cost,
    sum(toUInt128(prompt_tokens)) AS path_prompt, sum(toUInt128(completion_tokens)) AS path_completion, sum(toUInt128(total_tokens)) AS path_total,
    sum(toUInt128(latency)) AS path_latency, count(latency) AS path_timed,
    min(created_at) AS path_first, max(created_at) AS path_latest,
    max(toInt128(toUnixTimestamp64Milli(created_at)) + toInt128(ifNull(latency, 0))) AS path_ended,
    maxIf((created_at, request_id, session_name), session_name != '') AS path_name,
    groupUniqArrayIf(user_id, user_id != '') AS path_users,
    maxMap(mapApply((name, text) -> (name, (created_at, request_id, text)), properties)) AS path_properties,
    max(aliased_names) AS path_aliased,
    groupArraySortedIf(1001)((created_at, request_id), ${behindCursor}) AS path_keys`;
}

const aggregatesOfNode = sql`node, sum(path_requests) AS requests, sum(path_failed) AS failed, toString(ifNull(sum(path_cost), 0)) AS cost_text,
  toString(ifNull(sum(path_prompt), 0)) AS prompt_tokens_text, toString(ifNull(sum(path_completion), 0)) AS completion_tokens_text,
  toString(ifNull(sum(path_total), 0)) AS total_tokens_text, toString(ifNull(sum(path_latency), 0)) AS latency_text, sum(path_timed) AS timed,
  toUnixTimestamp64Milli(min(path_first)) AS first_ms, toUnixTimestamp64Milli(max(path_latest)) AS latest_ms, toString(max(path_ended)) AS ended_text,
  maxIf(path_name, depth = 0).3 AS name, arraySort(groupUniqArrayArrayIf(path_users, depth = 0)) AS users,
  mapApply((name, newest) -> (name, newest.3), maxMapIf(path_properties, depth = 0)) AS newest_properties,
  max(path_aliased) AS aliased,
  groupArraySortedArrayIf(1001)(path_keys, depth = 0) AS page_keys,
  arrayMap(key -> toUnixTimestamp64Milli(key.1), page_keys) AS page_ms, arrayMap(key -> toString(key.2), page_keys) AS page_ids`;

const oldestFirst: Exclude<RequestSelection['sort'], 'random'> = [{ key: 'created_at', direction: 'asc' }];

/** The requests of a session; no session has an empty identifier. */
export function ofSession(sessionId: string): Fragment {
  return sql`session_id = ${param(sessionId, 'String')} AND session_id != ''`;
}

/** The keys of the page in its order, and the cursor behind it when there are more. */
export function pageOf(
  plan: SessionPlan,
  root: SessionNodeRow,
): { readonly keys: readonly RequestKey[]; readonly cursor: string | undefined } {
  const keys = root.page_ids.map((id, index) => ({
    id: uuidOfHex(BigInt(id).toString(16).padStart(32, '0')),
    created_ms: root.page_ms[index] ?? 0,
  }));
  const page = keys.slice(0, plan.limit);
  const last = page.at(-1);
  const hasNext = keys.length > page.length && last !== undefined;
  return { keys: page, cursor: hasNext ? cursorBehind(selectionOf(plan.tenant, plan.sessionId), last) : undefined };
}

/**
 * The statement for the `RequestRow`s of these keys, which are in order of time; the rows are in any. An empty page needs none. The times
 * narrow the read to one run of the primary key, the identifiers decide.
 */
export function sessionRequestsStatements(tenant: OrganizationId, keys: readonly RequestKey[]): readonly Statement[] {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return [];
  const ids = param(
    keys.map(({ id }) => uuidToNumber(id as RequestId)),
    'Array(UInt128)',
  );
  const here = sql`created_at >= ${dateTime64(Number(first.created_ms))} AND created_at <= ${dateTime64(Number(last.created_ms))} AND request_id IN ${ids}`;
  return [statementFor(tenant, select({ columns: requestRowColumns, from: requests(here) }), 'short', decodeRequestRow)];
}

/** The requests of a session as a request query, which makes and parses its cursors. */
function selectionOf(tenant: OrganizationId, sessionId: string): RequestSelection {
  const filter = condition(
    { group: 'sessions_request_response_rmt', field: 'session_session_id' },
    { family: 'text', operator: 'equals', value: sessionId },
  );
  return { tenant, filter, flags: noFlags, sort: oldestFirst };
}
