import { type ReactNode, useMemo, useState } from 'react';
import type { RequestItem } from '../../../src/client/client.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';
import styles from './conversation.module.css';
import { FailureView } from './failure-view.tsx';
import { FirstOf } from './first-of.tsx';
import { JsonText } from './long-text.tsx';
import { newTurns } from './new-turns.ts';
import { pairTools, type ToolPairs } from './pairs.ts';
import type { Turn } from './read/part.ts';
import { isStep } from './read/steps.ts';
import { turnsOfRequest, turnsOfResponse } from './read/turns.ts';
import { TurnList } from './turn-list.tsx';
import { MarkdownContext, useMarkdownSwitch } from './use-markdown.ts';

/** Turns that are shown at a time, of those that were sent before and of the new ones. */
const pageLength = 50;

export interface ConversationProps {
  /** Tells several of a page apart. */
  readonly label?: string;
  readonly request: RequestItem;
  /** The request before it in its session; null: there is none. */
  readonly before: RequestItem | null;
  /** Leads to the bodies as they are. */
  readonly raw: ReactNode;
  /** Why it failed stands above this. */
  readonly isFailureTold?: boolean;
}

/** Both bodies as what was said: why it failed, the answer, and then what was asked. Nothing in a body is markup that a browser runs. */
export function Conversation({ label = 'Conversation', request, before, raw, isFailureTold = false }: ConversationProps): ReactNode {
  const { request_body: requestBody, response_body: responseBody } = request;
  const [isMarkdown, setIsMarkdown] = useMarkdownSwitch();
  const asked = useMemo(() => turnsOfRequest(requestBody), [requestBody]);
  const answered = useMemo(() => turnsOfResponse(responseBody, requestBody), [responseBody, requestBody]);
  const pairs = useMemo(() => pairTools([...asked, ...answered]), [asked, answered]);
  const turnsBefore = useMemo(() => (before === null ? undefined : turnsOfRequest(before.request_body)), [before]);
  const isOneStep = isStep(requestBody);
  return (
    <MarkdownContext value={isMarkdown}>
      <section className={styles['conversation']} aria-label={label}>
        {!isFailureTold && <FailureView request={request} answered={answered} />}
        {isOneStep ? (
          <TurnList turns={[...asked, ...answered]} pairs={pairs} />
        ) : (
          <>
            <header className={styles['head']}>
              <h3>Answer</h3>
              <Button kind="quiet" onPress={() => setIsMarkdown(!isMarkdown)}>
                Markdown: {isMarkdown ? 'on' : 'off'}
              </Button>
            </header>
            <Answer turns={answered} pairs={pairs} body={responseBody} raw={raw} />
            <Prompt turns={asked} before={turnsBefore} pairs={pairs} body={requestBody} raw={raw} />
          </>
        )}
      </section>
    </MarkdownContext>
  );
}

interface PartProps {
  readonly turns: readonly Turn[];
  readonly pairs: ToolPairs;
  readonly body: unknown;
  readonly raw: ReactNode;
}

function Answer({ turns, pairs, body, raw }: PartProps): ReactNode {
  if (body === null) return <p className="muted">No body of a response is kept.</p>;
  if (turns.length === 0) return <Unknown what="response" body={body} raw={raw} />;
  return (
    <FirstOf items={turns} step={pageLength}>
      {(some) => <TurnList turns={some} pairs={pairs} isAnswer />}
    </FirstOf>
  );
}

function Prompt({ turns, before, pairs, body, raw }: PartProps & { readonly before: readonly Turn[] | undefined }): ReactNode {
  const { from, since } = useMemo(() => newTurns(turns, before), [turns, before]);
  const [earlier, fresh] = [turns.slice(0, from), turns.slice(from)];
  return (
    <>
      {earlier.length === 0 ? <h3 className={styles['mark']}>Prompt</h3> : <NewMark since={since} isEmpty={fresh.length === 0} />}
      {body === null && <p className="muted">The body of the request is not kept.</p>}
      {body !== null && turns.length === 0 && <Unknown what="request" body={body} raw={raw} />}
      {earlier.length > 0 && <Earlier turns={earlier} pairs={pairs} />}
      <Fresh turns={fresh} pairs={pairs} />
    </>
  );
}

type TurnsProps = Pick<PartProps, 'turns' | 'pairs'>;

/** What was sent before is closed; opened, the latest come first. */
function Earlier({ turns, pairs }: TurnsProps): ReactNode {
  const [shown, setShown] = useState(0);
  const title = turns.length === 1 ? '1 earlier message' : `${formatCount(turns.length)} earlier messages`;
  const hidden = Math.max(0, turns.length - shown);
  return (
    <>
      <div className={styles['earlier']}>
        <Button kind="quiet" aria-expanded={shown > 0} onPress={() => setShown(shown > 0 ? 0 : pageLength)}>
          <span aria-hidden="true">{shown > 0 ? '▾' : '▸'}</span> {title}
        </Button>
      </div>
      {shown > 0 && hidden > 0 && <More count={hidden} onMore={() => setShown(shown + pageLength)} />}
      {shown > 0 && <TurnList turns={turns.slice(hidden)} pairs={pairs} />}
    </>
  );
}

/** What is new is open, the latest of very many. */
function Fresh({ turns, pairs }: TurnsProps): ReactNode {
  const [shown, setShown] = useState(pageLength);
  const hidden = Math.max(0, turns.length - shown);
  return (
    <>
      {hidden > 0 && <More count={hidden} onMore={() => setShown(shown + pageLength)} />}
      <TurnList turns={turns.slice(hidden)} pairs={pairs} />
    </>
  );
}

function More({ count, onMore }: { readonly count: number; readonly onMore: () => void }): ReactNode {
  return (
    <Button kind="quiet" onPress={onMore}>
      Show {formatCount(Math.min(count, pageLength))} more of {formatCount(count)} before these
    </Button>
  );
}

function NewMark({ since, isEmpty }: { readonly since: 'before' | 'answer'; readonly isEmpty: boolean }): ReactNode {
  const about = since === 'before' ? 'since the request before it in its session' : 'since the last answer';
  return (
    <h3 className={styles['mark']}>
      {isEmpty ? 'Prompt: nothing is new in this turn' : 'New in this turn'} <span className="muted">{about}</span>
    </h3>
  );
}

interface UnknownProps {
  readonly what: 'request' | 'response';
  readonly body: unknown;
  readonly raw: ReactNode;
}

/** A format that this page does not read. */
function Unknown({ what, body, raw }: UnknownProps): ReactNode {
  return (
    <>
      <Notice>
        The body of the {what} has no messages that this page can read. {raw}
      </Notice>
      <JsonText value={body} />
    </>
  );
}
