import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type AskedMetric, type MetricName, scoreOf } from '../../../src/model/vocabulary/metrics.ts';
import type { FilterNode } from '../../../src/query/filter/ast.ts';
import { metricTitle } from '../../lib/metrics/metric-format.ts';
import { scoreMetricsQuery } from '../../lib/metrics/score-metrics.ts';
import { promptVersions } from '../../lib/prompt-versions.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import { useMay } from '../../lib/signed-in.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { SavePanel } from './boards/save-panel.tsx';
import { UpdatePanel } from './boards/update-panel.tsx';
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
  const [isSaving, setIsSaving] = useState(false);
  return (
    <Page
      title="Explore"
      actions={filter !== undefined && <Actions {...{ search, filter, chart }} onSave={() => setIsSaving(true)} />}
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
          <p>The search has an error; see below it.</p>
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

interface ActionsProps {
  readonly search: ExploreSearch & RangeSearch;
  readonly filter: FilterNode;
  readonly chart: ExploreChart;
  readonly onSave: () => void;
}

/** No rule watches a score. */
function isAlerted(metric: AskedMetric): metric is MetricName {
  return scoreOf(metric) === undefined;
}

/** What can be made of a question. */
function Actions({ search, filter, chart, onSave }: ActionsProps): ReactNode {
  const [maySave, mayAlert] = [useMay('write'), useMay('admin')];
  const { data: scores } = useQuery(scoreMetricsQuery);
  const asked = askedBy(search);
  const { q, board, panel = 0 } = search;
  return (
    <>
      <LinkButton to="/explore" search={promptVersions(scores)}>
        Versions of prompts
      </LinkButton>
      {maySave && board !== undefined && <UpdatePanel query={{ ...asked, filter, chart }} boardId={board} panel={panel} />}
      {maySave && <Button onPress={onSave}>Save to a board</Button>}
      {mayAlert && (
        <LinkButton to="/alerts/new" search={{ q: q === '' ? undefined : q, metric: asked.metrics.find(isAlerted), by: asked.by }}>
          New alert rule
        </LinkButton>
      )}
    </>
  );
}

interface AnswerProps {
  readonly filter: FilterNode;
  readonly search: ExploreSearch & RangeSearch;
  readonly chart: ExploreChart;
  readonly onChange: (changed: ExploreSearch & RangeSearch) => void;
}

function Answer({ filter, search, chart, onChange }: AnswerProps): ReactNode {
  const { metrics, by, top, order, sort, range } = askedBy(search);
  const { q = '' } = search;
  const isOverTime = chart === 'line' || chart === 'bars';
  const exploration = useExploration({ filter, q, range, metrics, by, sort, order, top, isOverTime });
  const { groups, names, counted, error, isLoading } = exploration;
  if (error !== null) return <PageError error={error} />;
  if (isLoading || groups === undefined) return <Loading what="Loading the figures" />;
  const isPivot = chart === 'pivot' && by.length > 1;
  return (
    <>
      {isOverTime && (
        <div className={styles['charts']}>
          {metrics.map((metric) => (
            <div key={metric} className={styles['chart']}>
              <CourseChart
                {...{ exploration, metric, q }}
                kind={chart}
                height={metrics.length === 1 ? 280 : 180}
                onZoom={(start, end) => onChange({ range: undefined, from: start, to: end })}
              />
            </div>
          ))}
        </div>
      )}
      {isPivot ? (
        metrics.map((metric) => (
          <Section key={metric} title={metricTitle(metric)}>
            <Pivot answer={groups} {...{ metric, by, q }} range={counted} />
          </Section>
        ))
      ) : (
        <ExploreTable
          answer={groups}
          {...{ metrics, by, sort, order, q, names }}
          range={counted}
          colored={isOverTime ? exploration.shownLines : 0}
          onSort={(chosen, direction) => onChange({ sort: chosen, order: direction === 'asc' ? 'asc' : undefined })}
        />
      )}
      {chart === 'pivot' && !isPivot && <p className="muted">A pivot table needs two or three dimensions. Add one more.</p>}
    </>
  );
}

/** What an address asks, with what it leaves out. */
function askedBy({ metrics = standard.metrics, by = [], top = standard.top, order = standard.order, ...search }: AnswerProps['search']) {
  const [metric = 'count'] = metrics;
  const { sort = metric, range, from, to } = search;
  return { metrics, by, top, order, sort, range: { range, from, to } };
}
