import { sessionItem as listedItem } from '../sessions/item.ts';
import { average } from '../sessions/ratio.ts';
import type { SessionRow } from '../sessions/columns.ts';
import { isoTime } from '../requests/columns.ts';
import type { SessionItem } from '../../contract/sessions/item.ts';
import type { SessionNode, SessionNodeTotals } from '../../contract/sessions/view.ts';
import { parseMoney, usdOf, zeroMoney } from '../../model/pricing/money.ts';
import { levelsOf, nodePathOf } from './path.ts';
import { maxNodes, type SessionNodeRow } from './statement.ts';

export interface TreeRequest {
  readonly request_id: string;
  readonly session_path: string | null;
}

/** The tree of a session, and whether nodes were omitted. */
export interface SessionTree {
  readonly root: SessionNode;
  readonly cut: boolean;
}

/**
 * Assembles the tree. @param rows as the statement returns them, the root first. @param requests of the page, in order of time; a request
 * of an omitted node appears at the nearest node above.
 */
export function sessionTree(rows: readonly SessionNodeRow[], requests: readonly TreeRequest[]): SessionTree {
  const nodes = new Map<string, SessionNode>();
  for (const row of rows.slice(0, maxNodes)) nodes.set(row.node, emptyNode(row));
  for (const [path, node] of nodes) if (path !== '/') nodes.get(parentOf(path))?.children.push(node);
  for (const { children } of nodes.values()) children.sort(byFirstRequest);
  for (const { request_id: id, session_path: path } of requests) nearest(nodes, path ?? '').request_ids.push(id);
  return { root: nearest(nodes, ''), cut: rows.length > maxNodes };
}

function emptyNode(row: SessionNodeRow): SessionNode {
  return { path: row.node, name: levelsOf(row.node).at(-1) ?? '/', request_ids: [], children: [], totals: totalsOf(row) };
}

function parentOf(path: string): string {
  return nodePathOf(levelsOf(path).slice(0, -1));
}

function nearest(nodes: ReadonlyMap<string, SessionNode>, sessionPath: string): SessionNode {
  const levels = levelsOf(sessionPath);
  for (let depth = levels.length; depth >= 0; depth -= 1) {
    const node = nodes.get(nodePathOf(levels.slice(0, depth)));
    if (node !== undefined) return node;
  }
  throw new TypeError('A tree has a root.');
}

function byFirstRequest(left: SessionNode, right: SessionNode): number {
  const [first, second] = [left.totals.created_at, right.totals.created_at];
  if (first !== second) return first < second ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

function totalsOf(row: SessionNodeRow): SessionNodeTotals {
  return {
    requests: Number(row.requests),
    failed: Number(row.failed),
    cost: usdOf(parseMoney(row.cost_text) ?? zeroMoney),
    prompt_tokens: Number(row.prompt_tokens_text),
    completion_tokens: Number(row.completion_tokens_text),
    total_tokens: Number(row.total_tokens_text),
    avg_latency: average(BigInt(row.latency_text), BigInt(row.timed)),
    duration: Number(BigInt(row.ended_text) - BigInt(row.first_ms)),
    created_at: isoTime(row.first_ms),
  };
}

/** The session as in a list, from the row of its root. */
export function sessionItem(sessionId: string, root: SessionNodeRow): SessionItem {
  const row: SessionRow = {
    session_id: sessionId,
    name: root.name,
    tag: root.session_tag,
    first_ms: root.first_ms,
    latest_ms: root.latest_ms,
    cost_sum: root.cost_text,
    request_count: root.requests,
    failed_count: root.failed,
    prompt_sum: root.prompt_tokens_text,
    completion_sum: root.completion_tokens_text,
    total_sum: root.total_tokens_text,
    latency_sum: root.latency_text,
    latency_count: root.timed,
    users: root.users,
    merged: root.newest_properties,
    aliased: root.aliased,
  };
  return listedItem(row, 0);
}
