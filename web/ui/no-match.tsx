import type { ReactNode } from 'react';
import { sentence } from '../lib/sentence.ts';
import { Button } from './button.tsx';
import { Empty } from './empty.tsx';
import styles from './state.module.css';

export interface NoMatchProps {
  readonly title: string;
  /** Shows what is there without a condition; undefined: there is none. */
  readonly onClear: (() => void) | undefined;
  /** Shows what is there of all time; undefined: it is. */
  readonly onAllTime: (() => void) | undefined;
  /** What else can be done. */
  readonly way?: ReactNode;
  /** The service's: what nearly matched. */
  readonly hint?: string | undefined;
  /** What is said of it. */
  readonly children?: ReactNode;
}

/** What stands where a search in a time finds nothing, and the ways out of it. */
export function NoMatch({ title, onClear, onAllTime, way, hint, children }: NoMatchProps): ReactNode {
  return (
    <Empty title={title}>
      {hint !== undefined && <p>{sentence(hint)}</p>}
      {children}
      <div className={styles['ways']}>
        {onClear !== undefined && (
          <Button kind="primary" onPress={onClear}>
            Clear the filter
          </Button>
        )}
        {onAllTime !== undefined && <Button onPress={onAllTime}>Search all time</Button>}
        {way}
      </div>
    </Empty>
  );
}
