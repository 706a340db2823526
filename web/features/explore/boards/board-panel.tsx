import { Link } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { BoardPanel } from '../../../../src/client/types/dashboard.ts';
import { printSearch } from '../../../../src/query/language/print.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { MenuButton } from '../../../ui/overlay/menu-button.tsx';
import { CourseChart } from '../course-chart.tsx';
import { useExploration } from '../explore-query.ts';
import { ExploreTable } from '../explore-tables.tsx';
import { queryOf } from './panel.ts';
import styles from './boards.module.css';

export interface BoardPanelProps {
  readonly panel: BoardPanel;
  readonly range: RangeSearch;
  readonly mayChange: boolean;
  readonly onWidth: (width: 1 | 2 | 3) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** A panel, whose figures are asked for when it comes into view. */
export function BoardPanelView({ panel, range, mayChange, onWidth, onMove, onRemove }: BoardPanelProps): ReactNode {
  const place = useRef<HTMLElement>(null);
  const isSeen = useSeen(place);
  const query = useMemo(() => queryOf(panel), [panel]);
  const { filter, metrics, by, top, chart } = query;
  const q = printSearch(filter);
  const items = [
    ...([1, 2, 3] as const).map((width) => ({
      id: `width ${width}`,
      title: width === 1 ? 'One column wide' : `${width} columns wide`,
      onPick: () => onWidth(width),
    })),
    { id: 'before', title: 'Earlier', onPick: () => onMove(-1) },
    { id: 'behind', title: 'Later', onPick: () => onMove(1) },
    { id: 'remove', title: 'Remove from the board', onPick: onRemove },
  ];
  return (
    <section ref={place} className={styles['panel']} data-width={panel.width ?? 1} aria-label={panel.title}>
      <header className={styles['head']}>
        <h2 className="clip" dir="auto" title={panel.title}>
          <Link to="/explore" search={{ ...range, metrics, by, top, chart, ...(q === '' ? {} : { q }) }}>
            {panel.title}
          </Link>
        </h2>
        {mayChange && (
          <MenuButton label={`Change ${panel.title}`} kind="quiet" items={items}>
            ⋯
          </MenuButton>
        )}
      </header>
      {isSeen ? <Figures panel={panel} range={range} /> : <Loading />}
    </section>
  );
}

function Figures({ panel, range }: Pick<BoardPanelProps, 'panel' | 'range'>): ReactNode {
  const query = useMemo(() => queryOf(panel), [panel]);
  const { chart, metrics, by, sort, order } = query;
  const [metric = 'count'] = metrics;
  const isOverTime = chart === 'line' || chart === 'bars';
  const exploration = useExploration({ ...query, range, isOverTime });
  const { groups, error, isLoading } = exploration;
  if (error !== null) return <ErrorNotice error={error} />;
  if (isLoading || groups === undefined) return <Loading what="Adding up" />;
  if (isOverTime) return <CourseChart {...{ exploration, metric }} kind={chart} height={200} />;
  return <ExploreTable answer={groups} {...{ metrics, by, sort, order }} />;
}

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
