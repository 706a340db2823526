import { memo, type ReactNode } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { alignedWith } from '../../../lib/decimals.ts';
import { timeZone } from '../../../lib/zone.ts';
import { Highlighted } from '../../../ui/highlighted.tsx';
import styles from './request-grid.module.css';
import { pinStyle, type SizedColumn } from './sized-columns.ts';
import type { ColumnDecimals } from './use-decimals.ts';

export interface GridRowProps {
  readonly request: RequestItem;
  readonly columns: readonly SizedColumn[];
  readonly index: number;
  readonly top: number;
  readonly isOpen: boolean;
  /** Whether keys go on from here. */
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (request: RequestItem) => void;
  readonly onOpen: (id: string) => void;
  readonly words: readonly string[];
  readonly decimals: ColumnDecimals;
}

/** While the grid is scrolled, the rows that stay in it are not rendered again. */
export const GridRow = memo(function GridRow({
  request,
  columns,
  index,
  top,
  words,
  decimals,
  onOpen,
  onSelect,
  ...is
}: GridRowProps): ReactNode {
  const zone = timeZone();
  const { request_id: id } = request;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={is.isOpen}
      data-current={is.isCurrent}
      className={styles['row']}
      style={{ transform: `translateY(${top}px)` }}
      onClick={({ target }) => {
        const isBox = target instanceof Element && target.closest('[data-select]') !== null;
        if (!isBox) onOpen(id);
      }}
    >
      <span role="gridcell" data-select="true" className={styles['select']}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select request ${id}`}
          checked={is.isSelected}
          onChange={() => onSelect(request)}
        />
      </span>
      {columns.map(({ column: { id: columnId, isNumber, cell, textOf, figureOf }, pinnedAt }) => (
        <span
          key={columnId}
          role="gridcell"
          className={isNumber === true ? 'clip number' : 'clip'}
          title={textOf?.(request)}
          dir="auto"
          style={pinStyle(pinnedAt)}
          data-pinned={pinnedAt !== undefined}
        >
          {textOf === undefined || words.length === 0 ? (
            cell(request, zone, words, alignedWith(figureOf?.(request) ?? '', decimals[columnId] ?? {}))
          ) : (
            <Highlighted text={textOf(request)} words={words} />
          )}
        </span>
      ))}
    </div>
  );
});
