import type { CSSProperties } from 'react';
import { ownOf } from '../../../lib/own.ts';
import type { Column } from './columns.tsx';

/** Between two columns, pixels. */
const gap = 12;
/** Of the box that selects a row, pixels. */
const selectWidth = 24;

/** A column where it stands. */
export interface SizedColumn {
  readonly column: Column;
  /** Pixels. */
  readonly width: number;
  /** Distance from the left edge at which it stays in view; undefined: it scrolls. */
  readonly pinnedAt: number | undefined;
}

export function sizedColumns(columns: readonly Column[], widths: Readonly<Record<string, number>>, pinned: number): readonly SizedColumn[] {
  let left = gap + selectWidth + gap;
  return columns.map((column, index) => {
    const width = ownOf(widths, column.id) ?? column.width;
    const pinnedAt = index < pinned ? left : undefined;
    left += width + gap;
    return { column, width, pinnedAt };
  });
}

/** Words take what is left, else the last column. */
export function templateOf(columns: readonly SizedColumn[], rowHeight: number): CSSProperties {
  const words = columns.findIndex(({ column: { height } }) => height !== undefined);
  const wide = words === -1 ? columns.length - 1 : words;
  const tracks = columns.map(({ width }, index) => (index === wide ? `minmax(${width}px, 1fr)` : `${width}px`));
  const total = columns.reduce((sum, { width }) => sum + width + gap, 2 * gap + selectWidth);
  return {
    '--columns': `${selectWidth}px ${tracks.join(' ')}`,
    '--width': `${total}px`,
    '--row-height': `${rowHeight}px`,
  } as CSSProperties;
}

export function pinStyle(pinnedAt: number | undefined): { readonly left?: number } {
  return pinnedAt === undefined ? {} : { left: pinnedAt };
}
