import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { SessionItem } from '../../../src/client/client.ts';
import { alertLimits } from '../../../src/model/events/alert-vocabulary.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCost, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type Finding, findingsOf } from './findings.ts';
import { SessionConversation } from './session-conversation.tsx';
import styles from './session-page.module.css';
import { SessionTree } from './session-tree.tsx';
import { timelineOf } from './timeline.ts';

const route = getRouteApi('/shell/sessions/$sessionId');
const partLimit = 1000;

/** One session: its totals, its tree with the time, cost and status of each request, and what was said in it. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams();
  const { tab = 'tree' } = route.useSearch();
  const navigate = route.useNavigate();
  const sessionsSearch = useLocation({ select: ({ state }) => state.sessionsSearch ?? {} });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(sessionOptions(sessionId));
  const timeline = useMemo(() => timelineOf(data?.pages.map((page) => page.data) ?? []), [data]);
  const session = data?.pages[0]?.data.session;
  const findings = useMemo(() => {
    const [first] = data?.pages ?? [];
    const requests = data?.pages.flatMap((page) => page.data.requests) ?? [];
    return first === undefined ? [] : findingsOf({ ...first.data, requests });
  }, [data]);
  const loadMore = (): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  if (error !== null) return <PageError error={error} />;
  if (session === undefined) return <Loading what="Loading the session" />;
  return (
    <div className={styles['page']}>
      <nav aria-label="Breadcrumb">
        <Link to="/sessions" search={sessionsSearch}>
          Sessions
        </Link>
      </nav>
      <header className={styles['head']}>
        <h1 className="clip" dir="auto" title={session.session_id}>
          {session.session_name === '' ? session.session_id : session.session_name}
        </h1>
        <Actions session={session} lengthMs={timeline.lengthMs} />
      </header>
      <Facts session={session} lengthMs={timeline.lengthMs} />
      <Findings findings={findings} sessionId={sessionId} />
      <Tabs
        label="Views of the session"
        selected={tab}
        onSelect={(id) => void navigate({ search: { tab: id === 'tree' ? undefined : id }, replace: true, state: true })}
        tabs={[
          { id: 'tree', title: 'Tree', content: () => <SessionTree timeline={timeline} onEnd={loadMore} /> },
          {
            id: 'conversation',
            title: 'Conversation',
            content: () => <SessionConversation sessionId={sessionId} total={session.total_requests} />,
          },
        ]}
      />
    </div>
  );
}

function Actions({ session: { session_id: id, total_cost: cost }, lengthMs }: AboutProps): ReactNode {
  const mayMake = useMay('admin');
  return (
    <div className={styles['actions']}>
      <LinkButton to="/requests" search={{ q: searchFor('session', id), range: 'all' }}>
        Show requests
      </LinkButton>
      {mayMake && cost > 0 && (
        <LinkButton
          to="/alerts/new"
          search={{ metric: 'cost', by: ['session'], threshold: belowIt(cost), minutes: windowMinutes(lengthMs) }}
        >
          Alert on such sessions
        </LinkButton>
      )}
    </div>
  );
}

interface AboutProps {
  readonly session: SessionItem;
  readonly lengthMs: number;
}

const longestWindowHours = alertLimits.windowMaxMs / 3_600_000;

/** The window of a rule that holds a session of this length: whole hours, in minutes. */
function windowMinutes(ms: number): number {
  return 60 * Math.min(longestWindowHours, Math.max(1, Math.ceil(ms / 3_600_000)));
}

/** Two digits of a cost, rounded down: a session like this one reaches it. */
function belowIt(cost: number): number {
  const unit = 10 ** (Math.floor(Math.log10(cost)) - 1);
  return Number((Math.floor(cost / unit) * unit).toPrecision(2));
}

function sessionOptions(id: string) {
  return infiniteQueryOptions({
    queryKey: ['session', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => gatelog.sessions.get(id, { limit: partLimit, cursor, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Why it cost so much. */
function Findings({ findings, sessionId }: { readonly findings: readonly Finding[]; readonly sessionId: string }): ReactNode {
  if (findings.length === 0) return null;
  return (
    <section aria-label="Where the cost went" className={styles['findings']}>
      <h2>Where the cost went</h2>
      <ul>
        {findings.map(({ text, requestId }) => (
          <li key={text}>
            {text}{' '}
            {requestId !== undefined && (
              <Link to="/requests" search={{ request: requestId, range: 'all', q: searchFor('session', sessionId) }}>
                Open it
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ session, lengthMs }: AboutProps): ReactNode {
  const facts: readonly (readonly [string, string])[] = [
    ['Requests', formatCount(session.total_requests)],
    ['Cost', formatCost(session.total_cost)],
    ['Input', `${formatCount(session.prompt_tokens)} tokens`],
    ['Output', `${formatCount(session.completion_tokens)} tokens`],
    ['Length', formatDuration(lengthMs)],
    ['Mean latency', formatDuration(session.avg_latency)],
    ['Began', formatTime(session.created_at, timeZone())],
    ['Users', session.user_ids.join(', ')],
    ['Id', session.session_id],
    ...Object.entries(session.properties).filter(([name]) => !/^(?:svc|helicone)-/i.test(name)),
  ];
  return (
    <div role="region" aria-label="About the session" tabIndex={0} className={styles['about']}>
      <dl className={styles['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="clip" dir="auto">
              {name}
            </dt>
            <dd className="clip" dir="auto" title={value}>
              {value === '' ? '–' : value}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
