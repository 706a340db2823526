import { useMemo } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { figureParts, type FigureParts, type MostDecimals, mostDecimals } from '../../../lib/decimals.ts';
import type { Column } from './columns.tsx';

/** How many decimals the figures of a column have, by the identifier of the column. */
export type ColumnDecimals = Readonly<Record<string, MostDecimals>>;

/** The same object while nothing in it changes, so that rows in view need not be drawn again when others are loaded. */
export function useDecimals(rows: readonly RequestItem[], columns: readonly Column[]): ColumnDecimals {
  const key = useMemo(() => JSON.stringify(decimalsOf(rows, columns)), [rows, columns]);
  return useMemo(() => JSON.parse(key) as ColumnDecimals, [key]);
}

function decimalsOf(rows: readonly RequestItem[], columns: readonly Column[]): ColumnDecimals {
  return Object.fromEntries(
    columns.flatMap(({ id, figureOf }) =>
      figureOf === undefined ? [] : [[id, mostDecimals(rows.map((row) => partsOf(row, id, figureOf)))]],
    ),
  );
}

type RowParts = Map<string, FigureParts | undefined>;

/** Thousands of rows are loaded page by page: a figure is read once. */
const known = new WeakMap<RequestItem, RowParts>();

function partsOf(row: RequestItem, id: string, figureOf: NonNullable<Column['figureOf']>): FigureParts | undefined {
  const parts: RowParts = known.get(row) ?? new Map<string, FigureParts | undefined>();
  if (!parts.has(id)) known.set(row, parts.set(id, figureParts(figureOf(row))));
  return parts.get(id);
}
