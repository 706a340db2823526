import { useVirtualizer } from '@tanstack/react-virtual';
import { Link, useNavigate } from '@tanstack/react-router';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { RequestItem } from '../../../src/client/client.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { rowStep } from '../../ui/table/row-step.ts';
import { type Timeline, type TimelineRow, unfoldedRows } from './timeline.ts';
import styles from './session-tree.module.css';

const rowHeight = 32;
const loadAhead = 100;

interface SessionTreeProps {
  readonly timeline: Timeline;
  /** The end of the rows is near. */
  readonly onEnd: () => void;
}

/**
 * The tree of a session with its course in time. Only the rows in view exist. `j` and `k` or the arrows go through it, Enter opens a request
 * and folds a node.
 */
export function SessionTree({ timeline, onEnd }: SessionTreeProps): ReactNode {
  const { lengthMs } = timeline;
  const { rows, folded, active, setActive, fold, onKey } = useFolding(timeline);
  const scroller = useRef<HTMLDivElement>(null);
  const treeId = useId();
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

  const onKeyDown = (event: KeyboardEvent): void => {
    const index = event.target === event.currentTarget ? onKey(event) : undefined;
    if (index === undefined) return;
    virtual.scrollToIndex(index, { align: 'auto' });
    event.preventDefault();
  };
  return (
    <div
      className={styles['tree']}
      style={{ '--rows': rows.length } as CSSProperties}
      ref={scroller}
      role="treegrid"
      aria-label="Requests of the session"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={items.some(({ index }) => index === active) ? `${treeId}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <Head />
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isFolded = row.kind === 'node' && folded.has(row.node.path);
          return (
            <TreeRow
              key={index}
              {...{ row, index, isFolded, lengthMs }}
              id={`${treeId}-${index}`}
              isActive={index === active}
              top={start}
              onPress={() => {
                setActive(index);
                if (row.kind === 'node') fold(row.node.path, !isFolded);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The rows that are not folded away, and the active one among them. */
function useFolding(timeline: Timeline) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const rows = useMemo(() => unfoldedRows(timeline.rows, folded), [timeline.rows, folded]);
  const navigate = useNavigate();
  const fold = (path: string, isFolded: boolean): void => {
    setFolded((before) => (isFolded ? new Set([...before, path]) : new Set([...before].filter((one) => one !== path))));
  };
  /** @returns the index of the row that is active then; undefined: the key is none of a tree. */
  const onKey = (event: KeyboardEvent): number | undefined => {
    const { key } = event;
    const step = rowStep(event);
    const index = Math.min(rows.length - 1, Math.max(0, active + (step ?? 0)));
    const row = rows[index];
    if (step !== undefined) setActive(index);
    else if (row?.kind === 'node' && ['Enter', 'ArrowLeft', 'ArrowRight'].includes(key)) {
      fold(row.node.path, key === 'Enter' ? !folded.has(row.node.path) : key === 'ArrowLeft');
    } else if (row?.kind === 'request' && key === 'Enter') void navigate(requestPage(row.request));
    else return undefined;
    return index;
  };
  return { rows, folded, active, setActive, fold, onKey };
}

function requestPage({ request_id: request, session_id: session }: RequestItem) {
  return { to: '/requests', search: { request, range: 'all', q: searchFor('session', session ?? '') } } as const;
}

const titles = ['Path', 'Status', 'Cost', 'Tokens', 'Latency', 'When'] as const;

function Head(): ReactNode {
  return (
    <div role="row" aria-rowindex={1} className={`${styles['head'] ?? ''} ${styles['columns'] ?? ''}`}>
      {titles.map((title) => (
        <span key={title} role="columnheader" className={/Cost|Tokens|Latency/.test(title) ? 'clip number' : 'clip'}>
          {title}
        </span>
      ))}
    </div>
  );
}

interface TreeRowProps {
  readonly row: TimelineRow;
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly lengthMs: number;
  readonly isFolded: boolean;
  readonly isActive: boolean;
  readonly onPress: () => void;
}

function TreeRow({ row, id, index, top, lengthMs, isFolded, isActive, onPress }: TreeRowProps): ReactNode {
  const cells = row.kind === 'node' ? nodeCells(row, isFolded) : requestCells(row);
  const style = { transform: `translateY(${top}px)`, '--depth': row.depth } as CSSProperties;
  const bar = {
    '--from': `${(100 * row.startMs) / lengthMs}%`,
    '--length': `${(100 * row.durationMs) / lengthMs}%`,
  } as CSSProperties;
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-level={row.depth + 1}
      aria-selected={isActive}
      {...(row.kind === 'node' ? { 'aria-expanded': !isFolded } : {})}
      className={`${styles['row'] ?? ''} ${styles['columns'] ?? ''} ${styles[row.kind] ?? ''}`}
      style={style}
      onClick={onPress}
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

function nodeCells({ node }: Extract<TimelineRow, { readonly kind: 'node' }>, isFolded: boolean): Cells {
  const { totals } = node;
  return {
    name: (
      <>
        <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> {node.name} <span className="muted">{formatCount(totals.requests)} ×</span>
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
      <Link {...requestPage(request)} tabIndex={-1}>
        {request.model}
      </Link>
    ),
    status: <StatusBadge status={request.response_status} />,
    cost: request.cost,
    tokens: request.total_tokens,
    latency: request.latency,
  };
}
