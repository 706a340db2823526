import type { ReactNode } from 'react';
import styles from './state.module.css';

/** What stands where there is nothing, and what can be done about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className={styles['state']}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
