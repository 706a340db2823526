import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../src/client/client.ts';
import { Button } from './button.tsx';
import styles from './state.module.css';

export interface PageErrorProps {
  readonly error: unknown;
  readonly reset?: () => void;
}

/** A failure in place of what was asked for. Where another try may do better, there is a button for it. */
export function PageError({ error, reset }: PageErrorProps): ReactNode {
  const queryClient = useQueryClient();
  const again = (): void => {
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    reset?.();
  };
  return (
    <div className={styles['state']} role="alert">
      <h2>{titleOf(error)}</h2>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {!isFinal(error) && <Button onPress={again}>Try again</Button>}
    </div>
  );
}

/** The same again would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && !isAway(error) && error.status !== 429;
}

function isAway({ status }: ApiError): boolean {
  return status === 0 || status >= 500;
}

function titleOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'This page failed';
  if (error.status === 403) return 'Your key may not see this';
  if (isAway(error)) return 'The service does not answer';
  return 'The service refused this';
}
