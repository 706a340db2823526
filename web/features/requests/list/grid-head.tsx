import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import type { SortKey } from '../search.ts';
import { columnLimits } from './column-widths.ts';
import styles from './request-grid.module.css';
import { pinStyle, type SizedColumn } from './sized-columns.ts';

const keyStep = 16;

export interface GridHeadProps {
  readonly columns: readonly SizedColumn[];
  readonly onWidth: (id: string, width: number) => void;
  readonly sort: SortKey;
  readonly onSort: (sort: SortKey) => void;
  /** What stands before the columns. */
  readonly children: ReactNode;
}

/** The titles. The edge of each is dragged, or moved with the arrows. */
export function GridHead({ columns, onWidth, sort, onSort, children }: GridHeadProps): ReactNode {
  return (
    <div role="row" aria-rowindex={1} className={styles['head']}>
      {children}
      {columns.map(({ column: { id, title, isNumber, sorts = [] }, width, pinnedAt }) => (
        <span
          key={id}
          role="columnheader"
          aria-sort={sorts.includes(sort) ? (sort === 'oldest' ? 'ascending' : 'descending') : undefined}
          className={styles['headCell']}
          style={pinStyle(pinnedAt)}
          data-pinned={pinnedAt !== undefined}
        >
          <Title {...{ title, isNumber, sorts, sort, onSort }} />
          <Edge {...{ title, width }} onWidth={(changed) => onWidth(id, changed)} />
        </span>
      ))}
    </div>
  );
}

interface TitleProps extends Pick<GridHeadProps, 'sort' | 'onSort'> {
  readonly title: string;
  readonly isNumber: true | undefined;
  /** Orders that a press asks for, one after the other. */
  readonly sorts: readonly SortKey[];
}

function Title({ title, isNumber, sorts, sort, onSort }: TitleProps): ReactNode {
  const next = sorts[(sorts.indexOf(sort) + 1) % sorts.length];
  const shown = (
    <span className={isNumber === true ? 'clip number' : 'clip'} title={title} dir="auto">
      {title}
      {sorts.includes(sort) && <span aria-hidden="true"> {sort === 'oldest' ? '↑' : '↓'}</span>}
    </span>
  );
  if (next === undefined) return shown;
  return (
    <button type="button" className={styles['sort']} onClick={() => onSort(next)}>
      {shown}
    </button>
  );
}

interface EdgeProps {
  readonly title: string;
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

function Edge({ title, width, onWidth }: EdgeProps): ReactNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key];
    if (step === undefined) return;
    onWidth(width + step);
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointerDown = (event: PointerEvent<HTMLSpanElement>): void => {
    const { currentTarget: edge, pointerId, clientX: from } = event;
    edge.setPointerCapture(pointerId);
    const move = (moved: globalThis.PointerEvent): void => onWidth(width + moved.clientX - from);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), { once: true });
  };
  return (
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${title}`}
      aria-valuenow={width}
      aria-valuemin={columnLimits.min}
      aria-valuemax={columnLimits.max}
      tabIndex={0}
      className={styles['edge']}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
    />
  );
}
