import type { ReactNode } from 'react';
import type { RequestItem } from '../../../src/client/client.ts';
import { failureTitles } from '../../lib/failure.ts';
import styles from './conversation.module.css';
import { LongText } from './long-text.tsx';
import type { Turn } from './read/part.ts';

export interface FailureViewProps {
  readonly request: Pick<RequestItem, 'failure' | 'response_status'>;
  readonly answered: readonly Turn[];
}

/** Why a call failed, unless the response says so itself: it is the first thing below this. */
export function FailureView({ request: { failure, response_status: status }, answered }: FailureViewProps): ReactNode {
  const isSaid = answered.some(({ parts }) => parts.some(({ kind }) => kind === 'error'));
  if (failure === null || isSaid) return null;
  const title = failure.type === null || failure.type === '' ? failureTitles[failure.kind] : failure.type;
  return (
    <div className={styles['error']} role="group" aria-label="Error">
      <strong dir="auto">
        {title}
        {status > 0 && failure.kind === 'status' && ` (${status})`}
      </strong>
      {failure.type !== null && failure.type !== '' && <p>{failureTitles[failure.kind]}.</p>}
      {failure.message !== null && failure.message !== '' && <LongText text={failure.message} />}
    </div>
  );
}
