import { useCallback, useMemo, useState } from 'react';
import { hasFailed, mostCostOf, parentIndex, rowsInTime, stepRow, stepsOfSameModel, type TraceRow, unfoldedRows } from './rows.ts';
import { says } from './step-text.ts';
import type { Step } from './steps.ts';

export interface TraceSearch {
  /** Only steps that say it; empty: all. */
  readonly find: string;
  readonly failed: boolean;
}

/** The rows of a trace that are not folded away. */
export function useTraceRows(steps: readonly Step[], { find, failed }: TraceSearch) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo((): readonly TraceRow[] => {
    const text = find.trim().toLowerCase();
    if (text === '' && !failed) return rowsInTime(steps);
    return steps.filter((step) => (!failed || hasFailed(step)) && says(step, text)).map((step) => stepRow(step));
  }, [steps, find, failed]);
  const rows = useMemo(() => unfoldedRows(all, folded), [all, folded]);
  const mostCost = useMemo(() => mostCostOf(all), [all]);
  const sameModel = useMemo(() => stepsOfSameModel(rows), [rows]);
  const toggle = useCallback(
    (key: string): void =>
      setFolded((before) => {
        const after = new Set(before);
        if (!after.delete(key)) after.add(key);
        return after;
      }),
    [],
  );
  return { rows, folded, mostCost, sameModel, toggle };
}

/** Where a key of the tree leads from a row: to another row, or the row's group is folded or opened. */
export function treeMove(
  rows: readonly TraceRow[],
  folded: ReadonlySet<string>,
  index: number,
  isFolded: boolean,
): TraceRow | 'fold' | undefined {
  const row = rows[index];
  if (row?.kind === 'group' && folded.has(row.key) !== isFolded) return 'fold';
  if (!isFolded) return row?.kind === 'group' ? rows[index + 1] : undefined;
  const parent = parentIndex(rows, index);
  return parent === undefined ? undefined : rows[parent];
}
