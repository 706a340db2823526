import type { ReactNode } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { canceledTitle, failureTitles } from '../../../lib/failure.ts';
import { formatDuration, formatTime } from '../../../lib/format.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Highlighted } from '../../../ui/highlighted.tsx';
import { costText } from '../cost-text.ts';
import styles from './request-grid.module.css';

export interface WordsCellProps {
  readonly request: RequestItem;
  /** Words of the search, which are marked. */
  readonly words: readonly string[];
}

/** What went in, and below it what came out, or why nothing did. */
export function WordsCell({ request, words }: WordsCellProps): ReactNode {
  const input = inputText(request);
  return (
    <span className={styles['two']}>
      <span className="clip" dir="auto" title={request.input_preview ?? undefined}>
        {input === undefined ? <span className="muted">{request.request_path ?? ''}</span> : <Highlighted text={input} words={words} />}
      </span>
      <span className={styles['second']}>
        <Marks request={request} />
        <span className="clip" dir="auto" title={outputText(request)}>
          <Highlighted text={outputText(request)} words={words} />
        </span>
      </span>
    </span>
  );
}

/** The same on a phone, with what a reader asks first. */
export function PhoneCell({ request, words, zone }: WordsCellProps & { readonly zone: string }): ReactNode {
  return (
    <span className={styles['phone']}>
      <WordsCell request={request} words={words} />
      <span className="clip muted" dir="auto">
        {phoneFacts(request, zone)}
      </span>
    </span>
  );
}

/** What is cut where a line is full stands last: the model. */
export function phoneFacts(request: RequestItem, zone: string): string {
  const { request_created_at: arrived, request_user_id: user, model, latency } = request;
  const facts = [formatTime(arrived, zone), costText(request), formatDuration(latency), user, model];
  return facts.filter((fact) => fact !== null && fact !== '').join(' · ');
}

function Marks({ request }: { readonly request: RequestItem }): ReactNode {
  const failed = failureWord(request);
  return (
    <>
      {failed !== undefined && (
        <Badge kind="bad" title={failed}>
          {failureMark(request)}
        </Badge>
      )}
      {request.response_status === 499 && <Badge kind="warning">{canceledTitle}</Badge>}
      {request.cached && <Badge kind="good">cached</Badge>}
    </>
  );
}

/** Why a request failed, in a word; undefined: it did not. */
export function failureWord({ failure, response_status: status }: Pick<RequestItem, 'failure' | 'response_status'>): string | undefined {
  if (failure === null) return undefined;
  if (failure.type !== null && failure.type !== '') return failure.type;
  return failure.kind === 'status' ? String(status) : failureTitles[failure.kind];
}

/** The same beside a message, whose reason needs the room: the status that came with it. */
export function failureMark(request: Pick<RequestItem, 'failure' | 'response_status'>): string | undefined {
  const { failure, response_status: status } = request;
  const hasMessage = failure !== null && failure.message !== null && failure.message !== '';
  return hasMessage && status >= 400 ? String(status) : failureWord(request);
}

/** What is said of a request where its words stand: the first words of what it asks. */
function inputText({ input_preview: preview }: RequestItem): string | undefined {
  return preview === null || preview === '' ? undefined : preview;
}

function outputText({ failure, output_preview: preview }: RequestItem): string {
  return (failure === null ? undefined : failure.message) ?? preview ?? '';
}
