import { useQueryClient } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../src/client/client.ts';
import { Button } from './button.tsx';
import { LinkButton } from './link-button.tsx';
import styles from './state.module.css';

export interface PageErrorProps {
  readonly error: unknown;
  readonly reset?: () => void;
  /** What a part of a page shows: "Request". */
  readonly what?: string;
  /** Of an error that stands in place of a whole page. */
  readonly page?: FailedPage;
}

export interface FailedPage {
  /** What the page shows: "Session". */
  readonly what: string;
  /** Where others of its kind are. */
  readonly back: { readonly to: NonNullable<LinkProps['to']>; readonly title: string };
}

/** A failure in place of what was asked for. Where another try may do better, there is a button for it. */
export function PageError({ error, reset, what, page }: PageErrorProps): ReactNode {
  const queryClient = useQueryClient();
  const again = (): void => {
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    reset?.();
  };
  const title = titleOf(error, page?.what ?? what);
  return (
    <div className={`${styles['state'] ?? ''} ${page === undefined ? '' : (styles['whole'] ?? '')}`} role="alert">
      {page === undefined ? <h2>{title}</h2> : <h1>{title}</h1>}
      <p>{sentenceOf(error)}</p>
      <div className={styles['ways']}>
        {!isFinal(error) && <Button onPress={again}>Try again</Button>}
        {page !== undefined && <LinkButton to={page.back.to}>{page.back.title}</LinkButton>}
      </div>
    </div>
  );
}

function sentenceOf(error: unknown): string {
  if (isOffline(error)) return 'Gatelog does not answer. Check your connection, and whether the service is running.';
  return error instanceof Error ? error.message : String(error);
}

function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

/** The same again would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && !isAway(error) && error.status !== 429;
}

function isAway({ status }: ApiError): boolean {
  return status === 0 || status >= 500;
}

function titleOf(error: unknown, what = 'This'): string {
  if (isOffline(error)) return 'Offline';
  if (!(error instanceof ApiError)) return 'This page failed';
  if (isAway(error)) return 'The service does not answer';
  if (error.status === 403) return 'You may not see this';
  if (error.status === 404) return what === 'This' ? 'Not found' : `${what} not found`;
  if (error.status === 410) return `${what} is gone`;
  return error.status === 429 ? 'Too many requests' : 'This cannot be shown';
}
