import { describe, expect, it } from 'vitest';
import type { RequestItem } from '../../../../src/client/client.ts';
import { mostCostOf, parentIndex, rowsInTime, stepsOfSameModel, type TraceRow, unfoldedRows } from './rows.ts';
import { says } from './step-text.ts';
import { lengthOf, type Step, stepBefore, stepsOf } from './steps.ts';
import { treeMove } from './use-trace.ts';

interface Given {
  readonly path?: string | null;
  readonly latency?: number | null;
  readonly cost?: number | null;
  readonly isFailed?: boolean;
  readonly model?: string;
}

/** A step a second. */
function stepsAt(...given: readonly (string | Given)[]): readonly Step[] {
  return stepsOf(
    given.map((one, second) => {
      const { path = null, latency = 500, cost = 1, isFailed = false, model = 'gpt' } = typeof one === 'string' ? { path: one } : one;
      return {
        request_id: `r${second + 1}`,
        request_created_at: new Date(1_800_000_000_000 + second * 1000).toISOString(),
        session_path: path,
        latency,
        cost,
        model,
        input_preview: null,
        output_preview: null,
        failure: isFailed ? { kind: 'status', type: null, message: 'too many Requests' } : null,
      } as unknown as RequestItem;
    }),
  );
}

const shown = (rows: readonly TraceRow[]): readonly string[] =>
  rows.map((row) => {
    const indent = '  '.repeat(row.depth);
    return row.kind === 'group' ? `${indent}${row.name} (${row.steps.length})` : `${indent}${row.step.number} ${row.place}`.trimEnd();
  });

describe('the steps of a session in time', () => {
  it('are rows in their order; those that follow one another at a place are a group, a single one is a row', () => {
    expect(shown(rowsInTime(stepsAt('/plan', '/plan/read', '/plan/read', '/edit', '/test', '/edit')))).toEqual([
      'plan (3)',
      '  1',
      '  read (2)',
      '    2',
      '    3',
      '4 edit',
      '5 test',
      '6 edit',
    ]);
  });

  it('have no group of all of them, and one group for places that nothing tells apart', () => {
    expect(shown(rowsInTime(stepsAt('/chat', '/chat')))).toEqual(['1', '2']);
    expect(shown(rowsInTime(stepsAt('/a/b/c', '/a/b/d', '/a/e/f', '/a/e/f')))).toEqual([
      'b (2)',
      '  1 c',
      '  2 d',
      'e/f (2)',
      '  3',
      '  4',
    ]);
    expect(shown(rowsInTime(stepsAt({}, '/', 'x//y/')))).toEqual(['1', '2', '3 x/y']);
    expect(rowsInTime([])).toEqual([]);
  });

  it('are together in their groups: time from first to last, known costs, failures up to the outermost', () => {
    const steps = stepsAt(
      '/',
      { path: '/a', cost: null },
      { path: '/a/b', latency: 4000, isFailed: true },
      { path: '/a/b', latency: null },
    );
    const groups = rowsInTime(steps).flatMap((row) => (row.kind === 'group' ? [row] : []));
    expect(groups.map(({ name, startMs, durationMs, cost, failed }) => [name, startMs, durationMs, cost, failed])).toEqual([
      ['a', 1000, 5000, 2, 1],
      ['b', 2000, 4000, 2, 1],
    ]);
    expect(lengthOf(steps)).toBe(6000);
    expect(rowsInTime(stepsAt('/', { path: '/a', cost: null }, { path: '/a', cost: null }))[1]?.cost).toBeNull();
  });

  it('are measured by the group or step that costs the most', () => {
    const steps = stepsAt({ path: '/a', cost: 0.5 }, { path: '/a', cost: 3 }, { path: '/b', cost: 2 });
    expect(mostCostOf(rowsInTime(steps))).toBe(3.5);
    expect(mostCostOf(rowsInTime(stepsAt({ cost: null })))).toBe(0);
  });
});

it('a model is named again only where it is another one than that of the model’s step above', () => {
  const models = ['gpt', 'gpt', 'tool:search', 'gpt', 'claude', 'gpt', 'tool:search', 'tool:search'];
  expect([...stepsOfSameModel(rowsInTime(stepsAt(...models.map((model) => ({ model })))))]).toEqual(['r2', 'r4']);
});

describe('the tree of steps', () => {
  const rows = rowsInTime(stepsAt('/', '/a', '/a/b', '/a/b', '/c'));

  it('leaves out what is below a folded group', () => {
    const keys = rows.filter(({ kind }) => kind === 'group').map(({ key }) => key);
    expect(shown(rows)).toEqual(['1', 'a (3)', '  2', '  b (2)', '    3', '    4', '5 c']);
    expect(shown(unfoldedRows(rows, new Set(keys)))).toEqual(['1', 'a (3)', '5 c']);
    expect(shown(unfoldedRows(rows, new Set(keys.slice(1))))).toEqual(['1', 'a (3)', '  2', '  b (2)', '5 c']);
  });

  it('is gone through by arrows: left folds or goes to the group, right opens or goes into it', () => {
    const none = new Set<string>();
    const group = rows[1]?.key ?? '';
    expect([4, 3, 0].map((index) => parentIndex(rows, index))).toEqual([3, 1, undefined]);
    expect(treeMove(rows, none, 4, true)).toBe(rows[3]);
    expect(treeMove(rows, none, 1, true)).toBe('fold');
    expect(treeMove(rows, none, 1, false)).toBe(rows[2]);
    expect(treeMove(rows, new Set([group]), 1, false)).toBe('fold');
    expect(treeMove(rows, none, 0, false)).toBeUndefined();
    expect(treeMove(rows, none, 0, true)).toBeUndefined();
  });
});

it('the step before a step is the one before at its place', () => {
  const steps = stepsAt('/a', '/b', '/a', {});
  expect(steps.map((step) => stepBefore(steps, step)?.number)).toEqual([undefined, undefined, 1, undefined]);
});

it('a step is found by its model, its place and the words of its failure, in any case', () => {
  const [step] = stepsAt({ path: '/Plan', isFailed: true });
  expect(step !== undefined && ['gpt', '/plan', 'many requests', 'else'].map((text) => says(step, text))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
