import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react';
import { makeLookAhead } from '../../../ui/table/look-ahead.ts';
import { rowStep } from '../../../ui/table/row-step.ts';
import type { TraceRow as Row } from './rows.ts';
import { type Scale, TraceRow, UnloadedRow } from './trace-row.tsx';
import styles from './trace.module.css';
import { useNarrowRow, useNarrowTrace } from '../../../lib/use-narrow.ts';

const rowHeight = 30;
/** Of two lines: the step, and its words. */
const rowHeightOnPhone = 50;
/** It stays over the rows while they scroll. */
const headHeight = 30;
const loadAhead = 200;

/** What a key may do with the row that is chosen. */
export interface TraceActions {
  readonly move: (by: number) => void;
  readonly toEnd: (end: 'first' | 'last') => void;
  readonly fold: (isFolded: boolean) => void;
}

interface ListActions extends TraceActions {
  readonly reveal: (index: number) => void;
  /** Index of the last row. */
  readonly last: number;
}

export interface Unloaded {
  readonly count: number;
  /** Number of the first of them in the session. */
  readonly first: number;
}

interface TraceListProps {
  readonly rows: readonly Row[];
  /** Steps behind them that are not loaded so far. */
  readonly unloaded: Unloaded;
  readonly folded: ReadonlySet<string>;
  /** Keys of the steps whose model stands above them. */
  readonly sameModel: ReadonlySet<string>;
  /** Index of the chosen row, -1 where it is not among them. */
  readonly chosen: number;
  readonly scale: Scale;
  readonly words: readonly string[];
  readonly layout: 'steps' | 'timeline';
  readonly actions: TraceActions;
  readonly onChoose: (row: Row) => void;
  readonly onFold: (key: string) => void;
  readonly onEnter: () => void;
  /** The end of the rows is near. */
  readonly onEnd: () => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

/** The steps of a session, of which only the rows in view exist. In a narrow window the page scrolls, in a wide one the list. */
export function TraceList({
  rows,
  unloaded,
  folded,
  sameModel,
  chosen,
  scale,
  words,
  layout,
  actions,
  onChoose,
  onFold,
  onEnter,
  onEnd,
  listRef,
}: TraceListProps): ReactNode {
  const treeId = useId();
  const count = rows.length + unloaded.count;
  const virtual = useRows(count, listRef);
  const items = virtual.getVirtualItems();
  const { scrollToIndex } = virtual;
  useNearEnd(items.at(-1)?.index ?? -1, rows.length, onEnd);
  useInView(chosen, scrollToIndex);
  useStaysInView(chosen, virtual);
  const keys = { ...actions, reveal: scrollToIndex, last: rows.length - 1 };
  return (
    <div
      className={styles['list']}
      data-layout={layout}
      ref={listRef}
      role="treegrid"
      aria-label="Steps of the session"
      aria-rowcount={count + 1}
      aria-activedescendant={items.some(({ index }) => index === chosen) ? `${treeId}-${chosen}` : undefined}
      tabIndex={0}
      onKeyDown={(event) => onTreeKey(event, keys, onEnter)}
    >
      <Head />
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          const place = { index, top: start - virtual.options.scrollMargin };
          return row === undefined ? (
            <UnloadedRow key={`unloaded ${index}`} number={unloaded.first + index - rows.length} {...place} />
          ) : (
            <TraceRow
              key={row.key}
              {...{ row, scale, words, onChoose, onFold, ...place }}
              id={`${treeId}-${index}`}
              isFolded={folded.has(row.key)}
              isSameModel={sameModel.has(row.key)}
              isChosen={index === chosen}
            />
          );
        })}
      </div>
    </div>
  );
}

function useNearEnd(last: number, count: number, onEnd: () => void): void {
  useEffect(() => {
    if (last >= count - loadAhead) onEnd();
  }, [last, count, onEnd]);
}

function useInView(index: number, scrollToIndex: (index: number, options: { readonly align: 'auto' }) => void): void {
  useEffect(() => {
    if (index >= 0) scrollToIndex(index, { align: 'auto' });
  }, [index, scrollToIndex]);
}

/** The list gets shorter while what stands above it is loaded; a row at its lower end would be hidden. One that a reader has left stays left. */
function useStaysInView(index: number, virtual: ReturnType<typeof useRows>): void {
  useEffect(() => {
    const list = virtual.scrollElement;
    if (!(list instanceof HTMLElement)) return;
    let height = list.clientHeight;
    const observer = new ResizeObserver(() => {
      const row = virtual.measurementsCache[index];
      const wasInView = row !== undefined && row.start >= list.scrollTop + headHeight && row.end <= list.scrollTop + height;
      if (wasInView && list.clientHeight < height) virtual.scrollToIndex(index, { align: 'auto' });
      height = list.clientHeight;
    });
    observer.observe(list);
    return () => observer.disconnect();
  }, [index, virtual]);
}

function useRows(count: number, list: RefObject<HTMLDivElement | null>) {
  const [isNarrow, isPhone] = [useNarrowTrace(), useNarrowRow()];
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (isNarrow) setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [list, isNarrow]);
  const height = isPhone ? rowHeightOnPhone : rowHeight;
  const [rangeExtractor] = useState(makeLookAhead);
  const common = { count, estimateSize: () => height, rangeExtractor };
  const underHead = { scrollMargin: headHeight, scrollPaddingStart: headHeight };
  const own = useVirtualizer({ ...common, ...underHead, enabled: !isNarrow, getScrollElement: () => list.current });
  const ofPage = useWindowVirtualizer({ ...common, enabled: isNarrow, scrollMargin: top });
  return isNarrow ? ofPage : own;
}

/** The keys of a tree; `j` and `k` are those of the whole page. */
function onTreeKey(event: KeyboardEvent, actions: ListActions, onEnter: () => void): void {
  if (event.target !== event.currentTarget) return;
  const step = rowStep(event);
  if (step !== undefined) actions.move(step);
  else if (event.key === 'Home' || event.key === 'End') {
    actions.toEnd(event.key === 'Home' ? 'first' : 'last');
    // The row may be the chosen one, out of view.
    actions.reveal(event.key === 'Home' ? 0 : actions.last);
  } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') actions.fold(event.key === 'ArrowLeft');
  else if (event.key === 'Enter') onEnter();
  else return;
  event.preventDefault();
}

const titles = ['Step', 'Name', 'Latency', 'Cost', 'Time'] as const;

function Head(): ReactNode {
  return (
    <div role="row" aria-rowindex={1} className={`${styles['head'] ?? ''} ${styles['columns'] ?? ''}`}>
      {titles.map((title) => (
        <span key={title} role="columnheader" data-title={title} className={/Step|Latency|Cost/.test(title) ? 'clip number' : 'clip'}>
          {title}
        </span>
      ))}
    </div>
  );
}
