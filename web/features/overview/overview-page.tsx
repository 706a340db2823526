import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useReducer } from 'react';
import type { FilterNode } from '../../../src/query/filter/ast.ts';
import { countedRange } from '../../lib/buckets.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import type { Figures } from '../../lib/metrics/groups.ts';
import { metricTitle } from '../../lib/metrics/metric-format.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { DimensionSelect } from '../../ui/dimension-select.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { UnpricedText } from '../../ui/unpriced-text.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { PassedLimits } from '../limits/passed-limits.tsx';
import { cards } from './cards.ts';
import { Incidents, useIncidents } from './incidents.tsx';
import { NothingYet } from './nothing-yet.tsx';
import { GroupsTable, type MovedMetric } from './groups-table.tsx';
import { OverviewCard } from './overview-card.tsx';
import type { OverviewSearch } from './search.ts';
import { type ComparedGroup, useOverview } from './use-overview.ts';
import styles from './overview-page.module.css';

const route = getRouteApi('/shell/');
/** The groups of the table, unless the charts are split by something else. */
const standardDimension = 'model';

/** How much, how well and at what cost, against the previous period. */
export function OverviewPage(): ReactNode {
  const { q = '', by, moved = by ?? standardDimension, range, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: OverviewSearch & RangeSearch): void => {
    void navigate({ search: (search) => ({ ...search, ...changed }) });
  };
  const { filter } = useReadSearch(q);
  const search = (text: string): void => change({ q: text === '' ? undefined : text });
  return (
    <Page
      title="Overview"
      actions={
        <LinkButton to="/requests" search={{ q: q === '' ? undefined : q, range, from, to }}>
          Show requests
        </LinkButton>
      }
      bar={
        <>
          <SearchBar value={q} onChange={search} />
          <DimensionSelect label="Split by" value={by} none="None" onChange={(value) => change({ by: value })} />
          <RangeSelect value={{ range, from, to }} onChange={change} />
        </>
      }
    >
      <PassedLimits isEnabled={by === undefined} />
      {filter === undefined ? (
        <Empty title="The search cannot be read">
          <p>The search has an error; see below it.</p>
        </Empty>
      ) : (
        <Content
          {...{ q, by, moved, filter, onSearch: search }}
          onOnly={(text) => change({ q: text, moved: moved === standardDimension ? 'user' : standardDimension })}
          onMoved={(dimension) => change({ moved: dimension })}
          range={{ range, from, to }}
          onZoom={(start, end) => change({ range: undefined, from: start, to: end })}
        />
      )}
    </Page>
  );
}

interface ContentProps {
  readonly q: string;
  readonly by: Dimension | undefined;
  readonly moved: Dimension;
  readonly onMoved: (dimension: Dimension) => void;
  readonly filter: FilterNode;
  readonly range: RangeSearch;
  readonly onSearch: (q: string) => void;
  /** With a search that leaves one value of `moved`, so that another dimension tells more. */
  readonly onOnly: (q: string) => void;
  readonly onZoom: (from: number, to: number) => void;
}

function Content({ q, by, moved, filter, range: asked, onSearch, onOnly, onMoved, onZoom }: ContentProps): ReactNode {
  const [renewals, renew] = useReducer((count: number) => count + 1, 0);
  const { buckets, course, split, kinds, groups, error, isLoading } = useOverview({ filter, range: asked, by, moved, renewals });
  // A figure leads to the very requests that it counts, and not to those that came since.
  const range = countedRange(buckets);
  const incidents = useIncidents(buckets);
  if (error !== null) return <PageError error={error} />;
  if (isLoading) return <Loading what="Loading the figures" />;
  const { total, totalBefore } = groups;
  const measure = measureOf(total, totalBefore);
  if ((total?.count ?? 0) === 0 && (totalBefore?.count ?? 0) === 0) {
    const onClear = q === '' ? undefined : () => onSearch('');
    return <NothingYet {...{ onClear, filter, range: asked, since: buckets.to, onFound: renew }} />;
  }
  return (
    <>
      <Section
        {...(buckets.isOpen ? { title: mostTitles[measure] } : { title: 'What moved most', about: aboutMoved(measure) })}
        actions={<DimensionSelect label="By" value={moved} onChange={(dimension = standardDimension) => onMoved(dimension)} />}
      >
        <GroupsTable
          key={moved}
          groups={groups.rows}
          by={moved}
          isSplit={moved === by}
          other={groups.other}
          measure={measure}
          whole={wholeOf(measure, total, totalBefore)}
          before={buckets.isOpen ? undefined : { from: buckets.before.start, to: buckets.start }}
          {...{ q, range, onSearch, onOnly }}
        />
        <Unpriced total={total} rows={moved === 'model' ? groups.rows : []} />
      </Section>
      <Incidents rows={incidents.rows} />
      <div className={styles['cards']}>
        {cards.map((card) => (
          <OverviewCard
            key={card.metric}
            {...{ card, buckets, course, total, totalBefore, q, range, onZoom }}
            incidents={incidents.bands}
            split={split ?? (card.metric === 'errors' ? kinds : undefined)}
          />
        ))}
      </div>
    </>
  );
}

/** What nothing has of, no group can have more or less of. */
function measureOf(...totals: readonly (Figures | undefined)[]): MovedMetric {
  const measured = (['cost', 'total_tokens'] as const).find((metric) => totals.some((total) => (total?.[metric] ?? 0) > 0));
  return measured ?? 'count';
}

/** Of the period that has more of it. */
function wholeOf(measure: MovedMetric, ...totals: readonly (Figures | undefined)[]): number {
  return Math.max(...totals.map((total) => total?.[measure] ?? 0));
}

/** All time has none before it. */
const mostTitles: Readonly<Record<MovedMetric, string>> = {
  cost: 'Most cost',
  total_tokens: 'Most tokens',
  count: 'Most requests',
};

function aboutMoved(measure: MovedMetric): string {
  const title = `${metricTitle(measure)} against the previous period`;
  return measure === 'cost' ? title : `${title}: no request of both has a price`;
}

const shownModels = 3;

interface UnpricedProps {
  readonly total: Figures | undefined;
  /** Of models; empty: the table has others. */
  readonly rows: readonly ComparedGroup[];
}

/** What no figure of cost on the page has in it. */
function Unpriced({ total, rows }: UnpricedProps): ReactNode {
  const requests = total?.unpriced_count ?? 0;
  if (requests === 0) return null;
  const models = rows
    .map(({ key: [model], now }) => ({ model: typeof model === 'string' ? model : null, requests: now?.unpriced_count ?? 0 }))
    .filter((one) => one.requests > 0)
    .toSorted((one, other) => other.requests - one.requests);
  return (
    <p>
      <UnpricedText requests={requests} models={models.slice(0, shownModels)} />
    </p>
  );
}
