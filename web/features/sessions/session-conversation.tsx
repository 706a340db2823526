import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type RequestItem, where } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { Conversation } from '../../ui/conversation/conversation.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { costText } from '../requests/cost-text.ts';
import styles from './session-conversation.module.css';

/** Requests come with their bodies. */
const pageLimit = 20;

export interface SessionConversationProps {
  readonly sessionId: string;
  /** Requests of the session. */
  readonly total: number;
}

/** What was said in a session, in turn: of each request what is new in it, and its answer. */
export function SessionConversation({ sessionId, total }: SessionConversationProps): ReactNode {
  const list = useInfiniteQuery(requestsOptions(sessionId));
  if (list.error !== null) return <PageError error={list.error} />;
  if (list.data === undefined) return <Loading what="Loading what was said" />;
  const requests = list.data.pages.flatMap(({ data }) => data);
  return (
    <div className={styles['list']}>
      {requests.map((request, index) => (
        <Said key={request.request_id} number={index + 1} request={request} before={beforeOnPath(requests, index)} />
      ))}
      {list.hasNextPage && (
        <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetchingNextPage}>
          Show more ({formatCount(requests.length)} of {formatCount(total)} so far)
        </Button>
      )}
    </div>
  );
}

function requestsOptions(sessionId: string) {
  return infiniteQueryOptions({
    queryKey: ['session', sessionId, 'conversation'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      gatelog.requests.query(
        { filter: where('session_session_id', 'equals', sessionId), sort: { created_at: 'asc' }, limit: pageLimit, cursor },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Agents of a session take turns; each goes on from its own request before. */
function beforeOnPath(requests: readonly RequestItem[], index: number): RequestItem | null {
  const path = requests[index]?.session_path;
  return requests.slice(0, index).findLast((request) => request.session_path === path) ?? null;
}

interface SaidProps {
  /** In the session, from 1. */
  readonly number: number;
  readonly request: RequestItem;
  readonly before: RequestItem | null;
}

function Said({ number, request, before }: SaidProps): ReactNode {
  const { request_id: id, session_id: session, model, response_status: status, latency, request_created_at: at } = request;
  const path = request.session_path ?? '/';
  const link = { request: id, range: 'all', q: searchFor('session', session ?? '') } as const;
  return (
    <section className={styles['said']} aria-label={`${number}: ${path}, ${model}`}>
      <header className={styles['head']}>
        <h2 className="clip" dir="auto">
          {path}
        </h2>
        <span className="clip">
          <Link to="/requests" search={link}>
            {model}
          </Link>
        </span>
        <StatusBadge status={status} hasFailed={request.failure !== null} />
        <span className="muted">
          {formatTime(at, timeZone())} · {formatDuration(latency)} · {costText(request)}
        </span>
      </header>
      <Conversation
        label={`Conversation ${number}`}
        request={request}
        before={before}
        raw={
          <Link to="/requests" search={{ ...link, tab: 'raw' }}>
            View raw
          </Link>
        }
      />
    </section>
  );
}
