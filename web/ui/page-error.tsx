import type { ReactNode } from 'react';
import { ApiError } from '../../src/client/client.ts';
import { Button } from './button.tsx';
import styles from './state.module.css';

export interface PageErrorProps {
  readonly error: unknown;
  readonly reset?: () => void;
}

/** A failure in place of what was asked for, with a way on. */
export function PageError({ error, reset }: PageErrorProps): ReactNode {
  return (
    <div className={styles['state']} role="alert">
      <h2>{titleOf(error)}</h2>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {reset !== undefined && <Button onPress={reset}>Try again</Button>}
    </div>
  );
}

function titleOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'This page failed';
  if (error.status === 403) return 'Your key may not see this';
  if (error.status === undefined || error.status >= 500) return 'The service does not answer';
  return 'The service refused this';
}
