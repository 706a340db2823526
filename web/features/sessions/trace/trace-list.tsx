import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react';
import { rowStep } from '../../../ui/table/row-step.ts';
import type { TraceRow as Row } from './rows.ts';
import { type Scale, TraceRow } from './trace-row.tsx';
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

interface TraceListProps {
  readonly rows: readonly Row[];
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
  const virtual = useRows(rows.length, listRef);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - loadAhead) onEnd();
  }, [last, rows.length, onEnd]);
  const { scrollToIndex } = virtual;
  useEffect(() => {
    if (chosen >= 0) scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, scrollToIndex]);
  return (
    <div
      className={styles['list']}
      data-layout={layout}
      ref={listRef}
      role="treegrid"
      aria-label="Steps of the session"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={items.some(({ index }) => index === chosen) ? `${treeId}-${chosen}` : undefined}
      tabIndex={0}
      onKeyDown={(event) => onTreeKey(event, { ...actions, reveal: scrollToIndex, last: rows.length - 1 }, onEnter)}
    >
      <Head />
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TraceRow
              key={row.key}
              {...{ row, index, scale, words, onChoose, onFold }}
              id={`${treeId}-${index}`}
              top={start - virtual.options.scrollMargin}
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

function useRows(count: number, list: RefObject<HTMLDivElement | null>) {
  const [isNarrow, isPhone] = [useNarrowTrace(), useNarrowRow()];
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (isNarrow) setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [list, isNarrow]);
  const height = isPhone ? rowHeightOnPhone : rowHeight;
  const common = { count, estimateSize: () => height, overscan: 20 };
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

const titles = ['Step', 'What', 'Took', 'Cost', 'When'] as const;

function Head(): ReactNode {
  return (
    <div role="row" aria-rowindex={1} className={`${styles['head'] ?? ''} ${styles['columns'] ?? ''}`}>
      {titles.map((title) => (
        <span key={title} role="columnheader" data-title={title} className={/Step|Took|Cost/.test(title) ? 'clip number' : 'clip'}>
          {title}
        </span>
      ))}
    </div>
  );
}
