import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo } from 'react';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SessionConversation } from './session-conversation.tsx';
import { SessionHead } from './session-head.tsx';
import { partsOptions } from './session-parts.ts';
import styles from './session-page.module.css';
import { lengthOf, stepsOf } from './trace/steps.ts';
import { TraceView } from './trace/trace-view.tsx';

const route = getRouteApi('/shell/sessions/$sessionId');
/** A longer session goes on loading where it is scrolled to. */
const mostStepsAtOnce = 25_000;

/** One session as a trace: why it cost what it did, its steps, and the chosen one beside them. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams();
  const { tab = 'steps' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = useInfiniteQuery(partsOptions(sessionId));
  const steps = useMemo(() => stepsOf(data?.pages.flatMap(({ requests }) => requests) ?? []), [data]);
  const loadMore = useCallback((): void => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const isMoreWanted = steps.length > 0 && steps.length < mostStepsAtOnce;
  useEffect(() => {
    if (isMoreWanted) loadMore();
  }, [isMoreWanted, loadMore]);
  const head = data?.pages[0]?.head;
  if (error !== null && !isFetchNextPageError) {
    return <PageError error={error} page={{ what: 'Session', back: { to: '/sessions', title: 'All sessions' } }} />;
  }
  if (head === undefined) return <Loading what="Loading the session" />;
  const { session, tree } = head;
  const onRetry = isFetchNextPageError ? (): void => void fetchNextPage() : undefined;
  const trace = { session, steps, hasMore: hasNextPage, loadMore, onRetry };
  return (
    <div className={styles['page']}>
      <SessionHead {...{ session, tree, steps }} lengthMs={tree[0]?.totals.duration ?? lengthOf(steps)} />
      <div className={styles['views']} data-tab={tab}>
        <Tabs
          label="Views of the session"
          selected={tab}
          onSelect={(id) =>
            void navigate({
              search: (search) => ({ ...search, tab: id === 'steps' ? undefined : id }),
              replace: true,
              state: true,
              resetScroll: false,
            })
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
