import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { FilterNode } from '../../../src/query/filter/ast.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import { useMay } from '../../lib/signed-in.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { SavePanel } from './boards/save-panel.tsx';
import { CourseChart } from './course-chart.tsx';
import { ExploreControls } from './explore-controls.tsx';
import { useExploration } from './explore-query.ts';
import { ExploreTable, Pivot } from './explore-tables.tsx';
import styles from './explore-page.module.css';
import { type ExploreChart, type ExploreSearch, standard } from './search.ts';

const route = getRouteApi('/shell/explore');

/** Any metrics by any dimensions. */
export function ExplorePage(): ReactNode {
  const search = route.useSearch();
  const { q = '', range, from, to, metrics = standard.metrics, by = [], chart = standard.chart, top = standard.top } = search;
  const navigate = route.useNavigate();
  const change = (changed: ExploreSearch & RangeSearch): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }) });
  };
  const { filter } = useReadSearch(q);
  const maySave = useMay('write');
  const mayAlert = useMay('admin');
  const [isSaving, setIsSaving] = useState(false);
  return (
    <Page
      title="Explore"
      actions={
        <>
          {maySave && filter !== undefined && <Button onPress={() => setIsSaving(true)}>Save as a panel</Button>}
          {mayAlert && (
            <LinkButton to="/alerts/new" search={{ q: q === '' ? undefined : q, metric: metrics[0], by }}>
              Make an alert
            </LinkButton>
          )}
        </>
      }
      bar={
        <>
          <SearchBar value={q} onChange={(text) => change({ q: text === '' ? undefined : text })} />
          <RangeSelect value={{ range, from, to }} onChange={change} />
        </>
      }
    >
      <ExploreControls {...{ metrics, by, chart, top }} onChange={change} />
      {filter === undefined ? (
        <Empty title="The search cannot be read">
          <p>Below the search stands where its fault is.</p>
        </Empty>
      ) : (
        <Answer {...{ filter, search, chart }} onChange={change} />
      )}
      {isSaving && filter !== undefined && (
        <SavePanel query={{ ...askedBy(search), filter, chart }} range={{ range, from, to }} onClose={() => setIsSaving(false)} />
      )}
    </Page>
  );
}

interface AnswerProps {
  readonly filter: FilterNode;
  readonly search: ExploreSearch & RangeSearch;
  readonly chart: ExploreChart;
  readonly onChange: (changed: ExploreSearch & RangeSearch) => void;
}

function Answer({ filter, search, chart, onChange }: AnswerProps): ReactNode {
  const { metrics, by, top, order, sort, metric, range } = askedBy(search);
  const isOverTime = chart === 'line' || chart === 'bars';
  const exploration = useExploration({ filter, range, metrics, by, sort, order, top, isOverTime });
  const { groups, error, isLoading } = exploration;
  if (error !== null) return <PageError error={error} />;
  if (isLoading || groups === undefined) return <Loading what="Adding up" />;
  const isPivot = chart === 'pivot' && by.length > 1;
  return (
    <>
      {isOverTime && (
        <div className={styles['chart']}>
          <CourseChart
            {...{ exploration, metric }}
            kind={chart}
            height={280}
            onZoom={(start, end) => onChange({ range: undefined, from: start, to: end })}
          />
        </div>
      )}
      {isPivot ? (
        <Pivot answer={groups} metric={metric} by={by} />
      ) : (
        <ExploreTable
          answer={groups}
          {...{ metrics, by, sort, order }}
          colored={isOverTime ? exploration.shownLines : 0}
          onSort={(chosen, direction) => onChange({ sort: chosen, order: direction === 'asc' ? 'asc' : undefined })}
        />
      )}
      {chart === 'pivot' && !isPivot && <p className="muted">A pivot takes two dimensions or three: add one more.</p>}
    </>
  );
}

/** What an address asks, with what it leaves out. */
function askedBy({ metrics = standard.metrics, by = [], top = standard.top, order = standard.order, ...search }: AnswerProps['search']) {
  const [metric = 'count'] = metrics;
  const { sort = metric, range, from, to } = search;
  return { metrics, by, top, order, sort, metric, range: { range, from, to } };
}
