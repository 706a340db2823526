import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { SessionItem } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCost, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { type Timeline, timelineOf, type TimelineRow } from './timeline.ts';
import styles from './session-page.module.css';

const route = getRouteApi('/shell/sessions/$sessionId');
const partLimit = 1000;
const rowHeight = 32;
const loadAhead = 100;

/** One session: its totals, and its tree with the time, cost and status of each request. */
export function SessionPage(): ReactNode {
  const { sessionId } = route.useParams();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(sessionOptions(sessionId));
  const timeline = useMemo(() => timelineOf(data?.pages.map((page) => page.data) ?? []), [data]);
  const session = data?.pages[0]?.data.session;
  const loadMore = (): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  if (error !== null) return <PageError error={error} />;
  if (session === undefined) return <Loading what="Loading the session" />;
  return (
    <div className={styles['page']}>
      <nav aria-label="Breadcrumb">
        <Link to="/sessions">Sessions</Link>
      </nav>
      <h1 className="clip" dir="auto" title={session.session_id}>
        {session.session_name === '' ? session.session_id : session.session_name}
      </h1>
      <Facts session={session} lengthMs={timeline.lengthMs} />
      <Tree timeline={timeline} onEnd={loadMore} />
    </div>
  );
}

function sessionOptions(id: string) {
  return infiniteQueryOptions({
    queryKey: ['session', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => gatelog.sessions.get(id, { limit: partLimit, cursor, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

function Facts({ session, lengthMs }: { readonly session: SessionItem; readonly lengthMs: number }): ReactNode {
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

/** Only the rows in view exist. */
function Tree({ timeline, onEnd }: { readonly timeline: Timeline; readonly onEnd: () => void }): ReactNode {
  const { rows, lengthMs } = timeline;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - loadAhead) onEnd();
  }, [last, rows.length, onEnd]);
  return (
    <div
      className={styles['tree']}
      ref={scroller}
      role="treegrid"
      aria-label="Requests of the session"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
    >
      <div role="row" aria-rowindex={1} className={`${styles['head'] ?? ''} ${styles['columns'] ?? ''}`}>
        {['Path', 'Status', 'Cost', 'Tokens', 'Latency', 'When'].map((title) => (
          <span
            key={title}
            role="columnheader"
            className={title === 'Path' || title === 'When' || title === 'Status' ? 'clip' : 'clip number'}
          >
            {title}
          </span>
        ))}
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : <TreeRow key={index} row={row} index={index} top={start} lengthMs={lengthMs} />;
        })}
      </div>
    </div>
  );
}

interface TreeRowProps {
  readonly row: TimelineRow;
  readonly index: number;
  readonly top: number;
  readonly lengthMs: number;
}

function TreeRow({ row, index, top, lengthMs }: TreeRowProps): ReactNode {
  const cells = row.kind === 'node' ? nodeCells(row) : requestCells(row);
  const style = { transform: `translateY(${top}px)`, '--depth': row.depth } as CSSProperties;
  const bar = {
    '--from': `${(100 * row.startMs) / lengthMs}%`,
    '--length': `${(100 * row.durationMs) / lengthMs}%`,
  } as CSSProperties;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={row.depth + 1}
      className={`${styles['row'] ?? ''} ${styles['columns'] ?? ''} ${styles[row.kind] ?? ''}`}
      style={style}
    >
      <span role="gridcell" className={`clip ${styles['path'] ?? ''}`} dir="auto">
        {cells.name}
      </span>
      <span role="gridcell">{cells.status}</span>
      <span role="gridcell" className="clip number">
        {formatCost(cells.cost)}
      </span>
      <span role="gridcell" className="clip number">
        {formatCount(cells.tokens)}
      </span>
      <span role="gridcell" className="clip number">
        {formatDuration(cells.latency)}
      </span>
      <span role="gridcell" className={styles['time']} title={`${formatDuration(row.startMs)} after the beginning`}>
        <span className={styles['bar']} style={bar} />
        <span className="visually-hidden">{formatDuration(row.startMs)} after the beginning</span>
      </span>
    </div>
  );
}

interface Cells {
  readonly name: ReactNode;
  readonly status: ReactNode;
  readonly cost: number | null;
  readonly tokens: number | null;
  readonly latency: number | null;
}

function nodeCells({ node }: Extract<TimelineRow, { readonly kind: 'node' }>): Cells {
  const { totals } = node;
  return {
    name: (
      <>
        {node.name} <span className="muted">{formatCount(totals.requests)} ×</span>
      </>
    ),
    status: null,
    cost: totals.cost,
    tokens: totals.total_tokens,
    latency: totals.duration,
  };
}

function requestCells({ request }: Extract<TimelineRow, { readonly kind: 'request' }>): Cells {
  return {
    name: (
      <Link to="/requests" search={{ request: request.request_id, range: 'all', q: `session:${JSON.stringify(request.session_id ?? '')}` }}>
        {request.model}
      </Link>
    ),
    status: <StatusBadge status={request.response_status} />,
    cost: request.cost,
    tokens: request.total_tokens,
    latency: request.latency,
  };
}
