import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import styles from './sort-button.module.css';

export interface SortButtonProps {
  readonly title: string;
  /** The direction in which the table is sorted by this column; undefined: it is sorted by another. */
  readonly direction: 'asc' | 'desc' | undefined;
  readonly onSort: (direction: 'asc' | 'desc') => void;
}

/** The head of a column that sorts: the greatest first, and once more the smallest. */
export function SortButton({ title, direction, onSort }: SortButtonProps): ReactNode {
  return (
    <Button kind="quiet" onPress={() => onSort(direction === 'desc' ? 'asc' : 'desc')}>
      {title}{' '}
      <span aria-hidden="true" className={styles['arrow']} data-active={direction !== undefined}>
        {direction !== undefined && (direction === 'asc' ? '↑' : '↓')}
      </span>
    </Button>
  );
}
