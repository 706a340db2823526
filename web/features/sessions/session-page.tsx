import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo } from 'react';
import { gatelog } from '../../lib/client.ts';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SessionConversation } from './session-conversation.tsx';
import { SessionHead } from './session-head.tsx';
import styles from './session-page.module.css';
import { lengthOf, stepsOf } from './trace/steps.ts';
import { TraceView } from './trace/trace-view.tsx';

const route = getRouteApi('/shell/sessions/$sessionId');
/** The first steps are there soon; the next part follows at once, for what the head says of the steps. */
const firstPartLimit = 200;
const partLimit = 1000;

/** One session as a trace: why it cost what it did, its steps, and the chosen one beside them. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams();
  const { tab = 'steps' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(sessionOptions(sessionId));
  const steps = useMemo(() => stepsOf(data?.pages.flatMap((page) => page.data.requests) ?? []), [data]);
  const loadMore = useCallback((): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const isFirstPartAlone = data?.pages.length === 1;
  useEffect(() => {
    if (isFirstPartAlone) loadMore();
  }, [isFirstPartAlone, loadMore]);
  const [first] = data?.pages ?? [];
  if (error !== null) return <PageError error={error} page={{ what: 'Session', back: { to: '/sessions', title: 'All sessions' } }} />;
  if (first === undefined) return <Loading what="Loading the session" />;
  const { session, tree } = first.data;
  const trace = { session, steps, hasMore: hasNextPage, loadMore };
  return (
    <div className={styles['page']}>
      <SessionHead {...{ session, tree, steps }} lengthMs={tree[0]?.totals.duration ?? lengthOf(steps)} />
      <div className={styles['views']} data-tab={tab}>
        <Tabs
          label="Views of the session"
          selected={tab}
          onSelect={(id) =>
            void navigate({ search: (search) => ({ ...search, tab: id === 'steps' ? undefined : id }), replace: true, state: true })
          }
          tabs={[
            { id: 'steps', title: 'Steps', content: () => <TraceView {...trace} layout="steps" /> },
            { id: 'timeline', title: 'Timeline', content: () => <TraceView {...trace} layout="timeline" /> },
            {
              id: 'conversation',
              title: 'Conversation',
              content: () => <SessionConversation sessionId={sessionId} total={session.total_requests} />,
            },
          ]}
        />
      </div>
    </div>
  );
}

function sessionOptions(id: string) {
  return infiniteQueryOptions({
    queryKey: ['session', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      gatelog.sessions.get(id, { limit: cursor === undefined ? firstPartLimit : partLimit, cursor, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
