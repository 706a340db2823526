import type { ReactNode } from 'react';
import styles from './badge.module.css';

export interface BadgeProps {
  readonly kind: 'good' | 'bad' | 'warning' | 'plain';
  /** What the word stands for. */
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/** A state in a word; its colour says nothing that the word does not. */
export function Badge({ kind, title, children }: BadgeProps): ReactNode {
  return (
    <span className={`${styles['badge'] ?? ''} ${styles[kind] ?? ''}`} title={title}>
      {children}
    </span>
  );
}
