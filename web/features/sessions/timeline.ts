import type { RequestItem, SessionAnswer, SessionNode } from '../../../src/client/client.ts';

/** A node of the tree, or a request of the node above it. Times are milliseconds since the session began. */
export type TimelineRow = { readonly depth: number; readonly startMs: number; readonly durationMs: number } & (
  | { readonly kind: 'node'; readonly node: SessionNode }
  | { readonly kind: 'request'; readonly request: RequestItem }
);

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** From the first arrival to the end of whichever ended last. */
  readonly lengthMs: number;
}

type Part = Pick<SessionAnswer, 'requests' | 'tree'>;

/** The rows without those below a folded node. @param folded Paths of nodes. */
export function unfoldedRows(rows: readonly TimelineRow[], folded: ReadonlySet<string>): readonly TimelineRow[] {
  if (folded.size === 0) return rows;
  let foldedDepth = Infinity;
  return rows.filter((row) => {
    if (row.depth > foldedDepth) return false;
    foldedDepth = row.kind === 'node' && folded.has(row.node.path) ? row.depth : Infinity;
    return true;
  });
}

/**
 * The tree in the order of a timeline: each node, its requests, then the nodes below.
 * @param parts of a session, as they are loaded; the tree of each has all nodes, and the identifiers of its own requests.
 */
export function timelineOf(parts: readonly Part[]): Timeline {
  const requests = new Map(parts.flatMap((part) => part.requests.map((request) => [request.request_id, request] as const)));
  const idsOf = new Map<string, string[]>();
  const collect = ({ path, request_ids: ids, children }: SessionNode): void => {
    idsOf.set(path, [...(idsOf.get(path) ?? []), ...ids]);
    for (const child of children) collect(child);
  };
  for (const { tree } of parts) for (const node of tree) collect(node);

  const tree = parts[0]?.tree ?? [];
  const begunAt = Math.min(...tree.map(({ totals }) => Date.parse(totals.created_at)));
  const rows: TimelineRow[] = [];
  const add = (node: SessionNode, depth: number): void => {
    const { created_at: createdAt, duration } = node.totals;
    rows.push({ kind: 'node', node, depth, startMs: Date.parse(createdAt) - begunAt, durationMs: duration });
    for (const id of idsOf.get(node.path) ?? []) {
      const request = requests.get(id);
      if (request === undefined) continue;
      const startMs = Date.parse(request.request_created_at) - begunAt;
      rows.push({ kind: 'request', request, depth: depth + 1, startMs, durationMs: request.latency ?? 0 });
    }
    for (const child of node.children) add(child, depth + 1);
  };
  for (const node of tree) add(node, 0);
  return { rows, lengthMs: Math.max(1, ...rows.map(({ startMs, durationMs }) => startMs + durationMs)) };
}
