import type { ReactNode } from 'react';
import styles from './state.module.css';

/** Nothing is shown during the first moments, so that a quick answer does not flicker. */
export function Loading({ what = 'Loading' }: { readonly what?: string }): ReactNode {
  return <output className={styles['loading']}>{what} …</output>;
}
