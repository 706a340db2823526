import type { ReactNode } from 'react';
import type { RequestItem } from '../../../src/client/client.ts';
import styles from './conversation.module.css';
import { LongText } from './long-text.tsx';
import type { Turn } from './read/part.ts';

type Failure = NonNullable<RequestItem['failure']>;

const kindTitles: Readonly<Record<Failure['kind'], string>> = {
  status: 'The provider answered with an error',
  reply: 'The answer is an error',
  stream: 'The stream broke off',
  no_reply: 'No answer came',
  refused: 'Gatelog refused the call',
};

export interface FailureViewProps {
  readonly request: Pick<RequestItem, 'failure' | 'response_status'>;
  readonly answered: readonly Turn[];
}

/** Why a call failed, unless the answer says so itself: it is the first thing below this. */
export function FailureView({ request: { failure, response_status: status }, answered }: FailureViewProps): ReactNode {
  const isSaid = answered.some(({ parts }) => parts.some(({ kind }) => kind === 'error'));
  if (failure === null || isSaid) return null;
  const title = failure.type === null || failure.type === '' ? kindTitles[failure.kind] : failure.type;
  return (
    <div className={styles['error']} role="group" aria-label="Error">
      <strong dir="auto">
        {title}
        {status > 0 && failure.kind === 'status' && ` (${status})`}
      </strong>
      {failure.type !== null && failure.type !== '' && <p>{kindTitles[failure.kind]}.</p>}
      {failure.message !== null && failure.message !== '' && <LongText text={failure.message} />}
    </div>
  );
}
