import { useLocation } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { usePageKeys } from '../../../lib/page-keys.ts';
import { makeLookAhead } from '../../../ui/table/look-ahead.ts';
import { rowStep } from '../../../ui/table/row-step.ts';
import type { SortKey } from '../search.ts';
import { useColumnWidths } from './column-widths.ts';
import type { Column } from './columns.tsx';
import { GridHead } from './grid-head.tsx';
import { GridRow } from './grid-row.tsx';
import { sizedColumns, templateOf } from './sized-columns.ts';
import { rememberScrollPlace, scrollPlace } from './scroll-places.ts';
import styles from './request-grid.module.css';
import { useDecimals } from './use-decimals.ts';
import { type Selection, selectedOf } from './use-selection.ts';

const lineHeight = 34;
/** Below the last row, for the bar of what is selected, which lies over the rows. */
const barHeight = 76;
/** So many rows in view before the last one that is loaded, more are asked for: of who only looks at the top, and of who scrolls. */
const loadAhead = { atTop: 5, scrolled: 600 } as const;

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
  readonly selection: Selection;
  readonly sort: SortKey;
  readonly onSort: (sort: SortKey) => void;
  /** Whether the first row is in view. */
  readonly onTop: (isAtTop: boolean) => void;
}

/**
 * The requests as a grid of which only the rows in view exist. `j` and `k` or the arrows go through it, Enter opens a request and then goes
 * into its details, `x` selects, Escape closes the details. The row that was open last stays the place in the list.
 */
export function RequestGrid(props: RequestGridProps): ReactNode {
  const { rows, total, columns, pinned, openId, words, selection, sort, onOpen, onTop, onSort } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const currentId = useCurrent(openId);
  useFocusBack(scroller, openId);
  const [widths, setWidth] = useColumnWidths();
  const rowHeight = Math.max(lineHeight, ...columns.map(({ height = lineHeight }) => height));
  const { virtual, onScroll } = useRowsInView(scroller, rowHeight, props);
  const onKeyDown = useGridKeys(props, currentId, (index) => virtual.scrollToIndex(index, { align: 'auto' }));
  const sized = useMemo(() => sizedColumns(columns, widths, pinned), [columns, widths, pinned]);
  const decimals = useDecimals(rows, columns);
  const { toggle } = selection;
  return (
    <div
      className={styles['grid']}
      style={templateOf(sized, rowHeight)}
      ref={scroller}
      role="grid"
      aria-label="Requests"
      aria-rowcount={total === undefined ? -1 : total + 1}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => {
        onScroll(currentTarget.scrollTop);
        onTop(currentTarget.scrollTop < rowHeight);
      }}
    >
      <GridHead columns={sized} onWidth={setWidth} sort={sort} onSort={onSort}>
        <SelectAll rows={rows} selection={selection} />
      </GridHead>
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start: top }) => {
          const request = rows[index];
          if (request === undefined) return null;
          const { request_id: id } = request;
          const is = { isOpen: id === openId, isCurrent: id === currentId, isSelected: selection.requests.has(id) };
          return <GridRow key={id} {...{ request, index, top, onOpen, words, decimals }} {...is} onSelect={toggle} columns={sized} />;
        })}
      </div>
    </div>
  );
}

function SelectAll({ rows, selection }: Pick<RequestGridProps, 'rows' | 'selection'>): ReactNode {
  const selected = selectedOf(selection.requests, rows);
  return (
    <span role="gridcell" data-select="true" className={styles['select']}>
      <input
        type="checkbox"
        aria-label="Select the requests that are loaded, or none"
        ref={(box) => {
          if (box !== null) box.indeterminate = selected === 'some';
        }}
        checked={selected === 'all'}
        onChange={() => selection.toggleAll(rows)}
      />
    </span>
  );
}

/** The rows in view, beginning where this entry of the history was left; more are loaded ahead of them. */
function useRowsInView(scroller: RefObject<HTMLDivElement | null>, rowHeight: number, { rows, loadMore, selection }: RequestGridProps) {
  const entry = useLocation({ select: ({ state }) => state['__TSR_key'] ?? '' });
  const [lookAhead] = useState(makeLookAhead);
  const room = selection.requests.size > 0 ? barHeight : 0;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    rangeExtractor: lookAhead,
    paddingEnd: room,
    scrollPaddingEnd: room,
    initialOffset: () => scrollPlace(entry),
  });
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  // The next entry of the history begins where this one is.
  useEffect(() => rememberScrollPlace(entry, scroller.current?.scrollTop ?? 0), [entry, scroller]);
  const last = virtual.range?.endIndex ?? -1;
  const ahead = (virtual.scrollOffset ?? 0) > rowHeight ? loadAhead.scrolled : loadAhead.atTop;
  useEffect(() => {
    if (last >= rows.length - ahead) loadMore();
  }, [last, rows.length, ahead, loadMore]);
  return { virtual, onScroll: (top: number) => rememberScrollPlace(entry, top) };
}

/** Keys of the page and those of the grid. @param show Scrolls to a row. */
function useGridKeys(
  { rows, openId, onOpen, onEnter, selection }: RequestGridProps,
  currentId: string | undefined,
  show: (index: number) => void,
): (event: KeyboardEvent) => void {
  const at = rows.findIndex(({ request_id: id }) => id === currentId);
  const openAt = (wanted: number): void => {
    const index = Math.min(rows.length - 1, Math.max(0, wanted));
    const next = rows[index];
    if (next === undefined) return;
    onOpen(next.request_id);
    show(index);
  };
  const enter = (): void => {
    if (openId === undefined) openAt(at);
    else onEnter();
  };
  const select = (): void => {
    const current = rows[at];
    if (current !== undefined) selection.toggle(current);
  };
  // The details hear Escape only where the focus is in them: `j` leaves it on the page.
  const close = openId === undefined ? {} : { Escape: () => onOpen(undefined) };
  usePageKeys({ j: () => openAt(at + 1), k: () => openAt(at - 1), x: select, Enter: enter, ...close });
  return (event) => {
    if (event.target !== event.currentTarget) return;
    const step = rowStep(event);
    if (step !== undefined) openAt(at + step);
    else if (event.key === 'Escape') onOpen(undefined);
    else if (event.key === 'Enter') enter();
    else return;
    event.preventDefault();
  };
}

/** The open request, or the one that was open last. */
function useCurrent(openId: string | undefined): string | undefined {
  const [current, setCurrent] = useState(openId);
  if (openId !== undefined && current !== openId) setCurrent(openId);
  return openId ?? current;
}

/** Where the details took the focus with them, the list has it again. */
function useFocusBack(grid: RefObject<HTMLDivElement | null>, openId: string | undefined): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    const isOpen = openId !== undefined;
    if (wasOpen.current && !isOpen && document.activeElement === document.body) grid.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [grid, openId]);
}
