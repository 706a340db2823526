import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { columnLimits } from './column-widths.ts';
import type { Column } from './columns.tsx';
import styles from './request-grid.module.css';

const keyStep = 16;

export interface GridHeadProps {
  readonly columns: readonly SizedColumn[];
  readonly onWidth: (id: string, width: number) => void;
}

/** A column where it stands. */
export interface SizedColumn {
  readonly column: Column;
  /** Pixels. */
  readonly width: number;
  /** Distance from the left edge at which it stays in view; undefined: it scrolls. */
  readonly pinnedAt: number | undefined;
}

/** The titles. The edge of each is dragged, or moved with the arrows. */
export function GridHead({ columns, onWidth }: GridHeadProps): ReactNode {
  return (
    <div role="row" aria-rowindex={1} className={styles['head']}>
      {columns.map(({ column: { id, title, isNumber }, width, pinnedAt }) => (
        <span key={id} role="columnheader" className={styles['headCell']} style={pinStyle(pinnedAt)} data-pinned={pinnedAt !== undefined}>
          <span className={isNumber === true ? 'clip number' : 'clip'} title={title} dir="auto">
            {title}
          </span>
          <Edge {...{ title, width }} onWidth={(changed) => onWidth(id, changed)} />
        </span>
      ))}
    </div>
  );
}

export function pinStyle(pinnedAt: number | undefined): { readonly left?: number } {
  return pinnedAt === undefined ? {} : { left: pinnedAt };
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
