import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, memo, type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { ownOf } from '../../../lib/own.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Highlighted } from '../../../ui/highlighted.tsx';
import { rowStep } from '../../../ui/table/row-step.ts';
import { useColumnWidths } from './column-widths.ts';
import type { Column } from './columns.tsx';
import { GridHead, pinStyle, type SizedColumn } from './grid-head.tsx';
import styles from './request-grid.module.css';

const rowHeight = 34;
/** So many rows before the last one that is loaded, more are asked for: of who only looks at the top, and of who scrolls. */
const loadAhead = { atTop: 40, scrolled: 300 } as const;
/** Between two columns, pixels. */
const gap = 12;

export interface RequestGridProps {
  readonly rows: readonly RequestItem[];
  /** How many there are with those that are not loaded. */
  readonly total: number | undefined;
  readonly loadMore: () => void;
  readonly columns: readonly Column[];
  /** Columns at the start that stay in view. */
  readonly pinned: number;
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  /** Goes into the details of the open request. */
  readonly onEnter: () => void;
  /** Words of the search, which cells show marked. */
  readonly words: readonly string[];
  /** Whether the first row is in view. */
  readonly onTop: (isAtTop: boolean) => void;
}

/**
 * The requests as a grid of which only the rows in view exist. `j` and `k` or the arrows go through it, Enter goes into the details, Escape
 * closes them.
 */
export function RequestGrid({ rows, total, loadMore, columns, pinned, openId, words, ...on }: RequestGridProps): ReactNode {
  const { onOpen, onEnter, onTop } = on;
  const scroller = useRef<HTMLDivElement>(null);
  useFocusBack(scroller, openId);
  const [widths, setWidth] = useColumnWidths();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const ahead = (virtual.scrollOffset ?? 0) > rowHeight ? loadAhead.scrolled : loadAhead.atTop;
  useEffect(() => {
    if (last >= rows.length - ahead) loadMore();
  }, [last, rows.length, ahead, loadMore]);

  const move = (by: number): void => {
    const at = rows.findIndex(({ request_id: id }) => id === openId);
    const index = Math.min(rows.length - 1, Math.max(0, at + by));
    const next = rows[index];
    if (next === undefined) return;
    onOpen(next.request_id);
    virtual.scrollToIndex(index, { align: 'auto' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = rowStep(event);
    if (step !== undefined) move(step);
    else if (event.key === 'Escape') onOpen(undefined);
    else if (event.key === 'Enter' && openId === undefined) move(1);
    else if (event.key === 'Enter') onEnter();
    else return;
    event.preventDefault();
  };
  const sized = useMemo(() => sizedColumns(columns, widths, pinned), [columns, widths, pinned]);
  return (
    <div
      className={styles['grid']}
      style={templateOf(sized)}
      ref={scroller}
      role="grid"
      aria-label="Requests"
      aria-rowcount={total === undefined ? -1 : total + 1}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => onTop(currentTarget.scrollTop < rowHeight)}
    >
      <GridHead columns={sized} onWidth={setWidth} />
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const request = rows[index];
          if (request === undefined) return null;
          const isOpen = request.request_id === openId;
          return <Row key={request.request_id} {...{ request, index, isOpen, onOpen, words }} columns={sized} top={start} />;
        })}
      </div>
    </div>
  );
}

/** Where the details took the focus with them, the list has it again. */
function useFocusBack(grid: RefObject<HTMLDivElement | null>, openId: string | undefined): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    const isOpen = openId !== undefined;
    if (wasOpen.current && !isOpen && document.activeElement === document.body) grid.current?.focus();
    wasOpen.current = isOpen;
  }, [grid, openId]);
}

function sizedColumns(columns: readonly Column[], widths: Readonly<Record<string, number>>, pinned: number): readonly SizedColumn[] {
  let left = gap;
  return columns.map((column, index) => {
    const width = ownOf(widths, column.id) ?? column.width;
    const pinnedAt = index < pinned ? left : undefined;
    left += width + gap;
    return { column, width, pinnedAt };
  });
}

/** The last column takes what is left. */
function templateOf(columns: readonly SizedColumn[]): CSSProperties {
  const tracks = columns.map(({ width }, index) => (index === columns.length - 1 ? `minmax(${width}px, 1fr)` : `${width}px`));
  const total = columns.reduce((sum, { width }) => sum + width + gap, gap);
  return { '--columns': tracks.join(' '), '--width': `${total}px` } as CSSProperties;
}

interface RowProps {
  readonly request: RequestItem;
  readonly columns: readonly SizedColumn[];
  readonly index: number;
  readonly top: number;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
  readonly words: readonly string[];
}

/** While the grid is scrolled, the rows that stay in it are not rendered again. */
const Row = memo(function Row({ request, columns, index, top, isOpen, onOpen, words }: RowProps): ReactNode {
  const zone = timeZone();
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      className={styles['row']}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onOpen(request.request_id)}
    >
      {columns.map(({ column: { id, isNumber, cell, textOf }, pinnedAt }) => (
        <span
          key={id}
          role="gridcell"
          className={isNumber === true ? 'clip number' : 'clip'}
          title={textOf?.(request)}
          dir="auto"
          style={pinStyle(pinnedAt)}
          data-pinned={pinnedAt !== undefined}
        >
          {textOf === undefined || words.length === 0 ? cell(request, zone) : <Highlighted text={textOf(request)} words={words} />}
        </span>
      ))}
    </div>
  );
});
