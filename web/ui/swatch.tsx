import type { ReactNode } from 'react';
import styles from './swatch.module.css';

/** The colour that a name has in the chart beside; without one nothing. @param color Number of a series, from 1. */
export function Swatch({ color }: { readonly color: number | 'other' | undefined }): ReactNode {
  if (color === undefined) return null;
  return <i className={styles['swatch']} style={{ background: `var(--series-${color})` }} />;
}
