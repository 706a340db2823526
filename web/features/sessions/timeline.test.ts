import { describe, expect, it } from 'vitest';
import type { RequestItem, SessionNode } from '../../../src/client/client.ts';
import { timelineOf, unfoldedRows } from './timeline.ts';

const at = (second: number): string => new Date(1_800_000_000_000 + second * 1000).toISOString();

const request = (id: string, second: number, latency: number | null): RequestItem =>
  ({ request_id: id, request_created_at: at(second), latency }) as unknown as RequestItem;

function node(path: string, ids: readonly string[], [second, duration]: readonly [number, number], children: readonly SessionNode[] = []) {
  return { path, name: path, request_ids: ids, children, totals: { created_at: at(second), duration } } as unknown as SessionNode;
}

describe('the timeline of a session', () => {
  it('has each node, its requests, then the nodes below, with times since the session began', () => {
    const tree = [node('/', ['a'], [0, 9000], [node('/plan', ['b'], [2, 3000]), node('/answer', [], [6, 3000])])];
    const { rows, lengthMs } = timelineOf([{ requests: [request('a', 0, 500), request('b', 2, null)], tree }]);
    expect(
      rows.map((row) => [row.kind === 'node' ? row.node.path : row.request.request_id, row.depth, row.startMs, row.durationMs]),
    ).toEqual([
      ['/', 0, 0, 9000],
      ['a', 1, 0, 500],
      ['/plan', 1, 2000, 3000],
      ['b', 2, 2000, 0],
      ['/answer', 1, 6000, 3000],
    ]);
    expect(lengthMs).toBe(9000);
  });

  it('takes the requests of further parts into their nodes', () => {
    const parts = [
      { requests: [request('a', 0, 1)], tree: [node('/', ['a'], [0, 1000])] },
      { requests: [request('b', 1, 1)], tree: [node('/', ['b'], [0, 1000])] },
    ];
    expect(timelineOf(parts).rows.flatMap((row) => (row.kind === 'request' ? [row.request.request_id] : []))).toEqual(['a', 'b']);
  });

  it('leaves out what is below a folded node', () => {
    const tree = [
      node('/', ['a'], [0, 9], [node('/plan', ['b'], [2, 3], [node('/plan/read', ['c'], [2, 1])]), node('/answer', ['d'], [6, 3])]),
    ];
    const { rows } = timelineOf([{ requests: ['a', 'b', 'c', 'd'].map((id) => request(id, 0, 1)), tree }]);
    const shown = (...folded: readonly string[]) =>
      unfoldedRows(rows, new Set(folded)).map((row) => (row.kind === 'node' ? row.node.path : row.request.request_id));
    expect(shown()).toEqual(['/', 'a', '/plan', 'b', '/plan/read', 'c', '/answer', 'd']);
    expect(shown('/plan')).toEqual(['/', 'a', '/plan', '/answer', 'd']);
    expect(shown('/plan/read', '/answer')).toEqual(['/', 'a', '/plan', 'b', '/plan/read', '/answer']);
    expect(shown('/')).toEqual(['/']);
  });

  it('of nothing is empty', () => {
    expect(timelineOf([])).toEqual({ rows: [], lengthMs: 1 });
  });
});
