import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { BoardPanel } from '../../../../src/client/types/dashboard.ts';
import { printSearch } from '../../../../src/query/language/print.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { wideChart } from '../../../lib/use-buckets.ts';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog.tsx';
import { MenuButton } from '../../../ui/overlay/menu-button.tsx';
import { CourseChart } from '../course-chart.tsx';
import { useExploration } from '../explore-query.ts';
import { ExploreTable } from '../explore-tables.tsx';
import type { ExploreSearch } from '../search.ts';
import { queryOf } from './panel.ts';
import { RenameDialog } from './rename-dialog.tsx';
import styles from './boards.module.css';

export interface BoardPanelProps {
  readonly panel: BoardPanel;
  readonly range: RangeSearch;
  /** Of the panel on the board, from 0. */
  readonly place: number;
  readonly boardId: string;
  readonly mayChange: boolean;
  readonly onRename: (title: string) => Promise<void>;
  readonly onWidth: (width: 1 | 2 | 3) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => Promise<void>;
}

/** A panel, whose figures are asked for when it comes into view. */
export function BoardPanelView({ panel, range, boardId, place, mayChange, ...on }: BoardPanelProps): ReactNode {
  const element = useRef<HTMLElement>(null);
  const isSeen = useSeen(element);
  const query = useMemo(() => queryOf(panel), [panel]);
  const { filter, metrics, by, top, chart, sort, order } = query;
  const q = printSearch(filter);
  const explored = {
    ...range,
    metrics,
    by,
    top,
    chart,
    ...(sort === metrics[0] ? {} : { sort }),
    ...(order === 'asc' ? { order } : {}),
    ...(q === '' ? {} : { q }),
  };
  return (
    <section ref={element} className={styles['panel']} data-width={panel.width ?? 1} aria-label={panel.title}>
      <header className={styles['head']}>
        <h2 className="clip" dir="auto" title={panel.title}>
          {panel.title}
        </h2>
        <Link to="/explore" search={explored} aria-label={`Open ${panel.title} in Explore`}>
          Explore
        </Link>
        {mayChange && <PanelMenu title={panel.title} edited={{ ...explored, board: boardId, panel: place }} {...on} />}
      </header>
      {isSeen ? <Figures panel={panel} range={range} q={q} /> : <Loading />}
    </section>
  );
}

interface PanelMenuProps extends Pick<BoardPanelProps, 'onRename' | 'onWidth' | 'onMove' | 'onRemove'> {
  readonly title: string;
  /** Where the panel is edited. */
  readonly edited: ExploreSearch & RangeSearch;
}

/** What can be done with a panel. */
function PanelMenu({ title, edited, onRename, onWidth, onMove, onRemove }: PanelMenuProps): ReactNode {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'remove'>();
  const close = (): void => setOpen(undefined);
  const rename = (name: string): Promise<void> => onRename(name).then(close);
  const items = [
    { id: 'edit', title: 'Edit …', onPick: () => void navigate({ to: '/explore', search: edited }) },
    { id: 'rename', title: 'Rename …', onPick: () => setOpen('rename') },
    ...([1, 2, 3] as const).map((width) => ({
      id: `width ${width}`,
      title: width === 1 ? 'One column wide' : `${width} columns wide`,
      onPick: () => onWidth(width),
    })),
    { id: 'before', title: 'Move left', onPick: () => onMove(-1) },
    { id: 'behind', title: 'Move right', onPick: () => onMove(1) },
    { id: 'remove', title: 'Remove from the board …', onPick: () => setOpen('remove') },
  ];
  return (
    <>
      <MenuButton label={`Change ${title}`} kind="quiet" items={items}>
        ⋯
      </MenuButton>
      {open === 'rename' && (
        <RenameDialog title="Rename the panel" label="Title" name={title} submit="Rename" onSubmit={rename} onClose={close} />
      )}
      <ConfirmDialog
        title="Remove the panel"
        consequence={
          <p>
            <b dir="auto">{title}</b> is removed from the board. No request is deleted.
          </p>
        }
        onConfirm={onRemove}
        isOpen={open === 'remove'}
        onClose={close}
      />
    </>
  );
}

function Figures({ panel, range, q }: Pick<BoardPanelProps, 'panel' | 'range'> & { readonly q: string }): ReactNode {
  const query = useMemo(() => queryOf(panel), [panel]);
  const { chart, metrics, by, sort, order } = query;
  const isAlone = metrics.length === 1;
  const isOverTime = chart === 'line' || chart === 'bars';
  const exploration = useExploration({ ...query, q, range, isOverTime, chartWidth: panelWidths[panel.width ?? 1] });
  const { groups, names, counted, error, isLoading } = exploration;
  if (error !== null) return <ErrorNotice error={error} />;
  if (isLoading || groups === undefined) return <Loading what="Loading the figures" />;
  if (!isOverTime) {
    return <ExploreTable label={`Table of ${panel.title}`} answer={groups} {...{ metrics, by, sort, order, q, names }} range={counted} />;
  }
  return metrics.map((metric) => (
    <CourseChart
      key={metric}
      {...{ exploration, metric, q }}
      kind={chart}
      height={isAlone ? 296 : 160}
      {...(isAlone ? { title: panel.title, isTitleHidden: true } : {})}
    />
  ));
}

/** Where a board has one column only, each panel is as wide as the page. */
const oneColumn = 1200;

function panelWidth(columns: number): (windowWidth: number) => number {
  return (windowWidth) => (wideChart(windowWidth) * (windowWidth > oneColumn ? columns : 3)) / 3;
}

const panelWidths = { 1: panelWidth(1), 2: panelWidth(2), 3: panelWidth(3) } as const;

/** Whether an element has been in view, or nearly. */
function useSeen(place: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const { current: element } = place;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && setIsSeen(true), { rootMargin: '200px' });
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return isSeen;
}
