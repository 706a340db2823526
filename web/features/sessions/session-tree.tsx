import { useVirtualizer } from '@tanstack/react-virtual';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Timeline, TimelineRow } from './timeline.ts';
import styles from './session-tree.module.css';

const rowHeight = 32;
const loadAhead = 100;

/** The tree of a session with its course in time. Only the rows in view exist. */
export function SessionTree({ timeline, onEnd }: { readonly timeline: Timeline; readonly onEnd: () => void }): ReactNode {
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
      style={{ '--rows': rows.length } as CSSProperties}
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
      <Link to="/requests" search={{ request: request.request_id, range: 'all', q: searchFor('session', request.session_id ?? '') }}>
        {request.model}
      </Link>
    ),
    status: <StatusBadge status={request.response_status} />,
    cost: request.cost,
    tokens: request.total_tokens,
    latency: request.latency,
  };
}
