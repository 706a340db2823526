import type { ReactNode } from 'react';
import styles from './trace.module.css';

export type RowKind = 'model' | 'tool' | 'group';

const shapes: Readonly<Record<RowKind, string>> = {
  model: 'M3 3.5h10v7H8l-3 2.5v-2.5H3z',
  tool: 'M11.8 2.6a3 3 0 0 0-3.7 3.9L3 11.6 4.4 13l5.1-5.1a3 3 0 0 0 3.9-3.7L11.5 6 10 4.5z',
  group: 'M8 2.5v4M8 6.5H4v3M8 6.5h4v3M6.5 2.5h3M2.5 9.5h3v3h-3zM10.5 9.5h3v3h-3z',
};

const kindTitles: Readonly<Record<RowKind, string>> = { model: 'Model', tool: 'Tool', group: 'Group' };

/** What a row of a trace is; red where it failed. */
export function KindIcon({ kind, hasFailed }: { readonly kind: RowKind; readonly hasFailed: boolean }): ReactNode {
  return (
    <span className={styles['icon']} data-kind={kind} data-failed={hasFailed} title={kindTitles[kind]}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={shapes[kind]} />
      </svg>
      <span className="visually-hidden">{kindTitles[kind]}</span>
    </span>
  );
}
