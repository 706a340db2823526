import { type ReactNode, useMemo, useState } from 'react';
import type { RequestItem } from '../../../src/client/client.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';
import styles from './conversation.module.css';
import { FirstOf } from './first-of.tsx';
import { JsonText } from './long-text.tsx';
import { newTurns } from './new-turns.ts';
import { pairTools, type ToolPairs } from './pairs.ts';
import type { Turn } from './read/part.ts';
import { turnsOfRequest, turnsOfResponse } from './read/turns.ts';
import { TurnList } from './turn-list.tsx';

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
}

/** Both bodies as what was said, in turn. Nothing in a body is markup. */
export function Conversation({ label = 'Conversation', request, before, raw }: ConversationProps): ReactNode {
  const { request_body: requestBody, response_body: responseBody } = request;
  const asked = useMemo(() => turnsOfRequest(requestBody), [requestBody]);
  const answered = useMemo(() => turnsOfResponse(responseBody), [responseBody]);
  const pairs = useMemo(() => pairTools([...asked, ...answered]), [asked, answered]);
  const turnsBefore = useMemo(() => (before === null ? undefined : turnsOfRequest(before.request_body)), [before]);
  const { from, since } = useMemo(() => newTurns(asked, turnsBefore), [asked, turnsBefore]);
  const [earlier, fresh] = [asked.slice(0, from), asked.slice(from)];
  return (
    <section className={styles['conversation']} aria-label={label}>
      {requestBody === null && <p className="muted">The body of the request is not kept.</p>}
      {requestBody !== null && asked.length === 0 && <Unknown what="request" body={requestBody} raw={raw} />}
      {earlier.length > 0 && <Earlier turns={earlier} pairs={pairs} />}
      {earlier.length > 0 && <NewMark since={since} isEmpty={fresh.length === 0} />}
      <Fresh turns={fresh} pairs={pairs} />
      <h3 className={styles['mark']}>Answer</h3>
      {responseBody === null && <p className="muted">No body of a response is kept.</p>}
      {responseBody !== null && answered.length === 0 && <Unknown what="response" body={responseBody} raw={raw} />}
      <FirstOf items={answered} step={pageLength}>
        {(turns) => <TurnList turns={turns} pairs={pairs} isAnswer />}
      </FirstOf>
    </section>
  );
}

interface TurnsProps {
  readonly turns: readonly Turn[];
  readonly pairs: ToolPairs;
}

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
      {isEmpty ? 'Nothing is new in this turn' : 'New in this turn'} <span className="muted">{about}</span>
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
