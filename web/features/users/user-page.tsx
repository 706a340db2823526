import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { parseSearch } from '../../../src/query/language/parse.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import type { Figures } from '../../lib/metrics/groups.ts';
import { figureText, formatOf } from '../../lib/metrics/metric-format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { useMay } from '../../lib/signed-in.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { chartInRow } from '../../lib/use-buckets.ts';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/layout/facts.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { CourseChart } from '../explore/course-chart.tsx';
import { useExploration } from '../explore/explore-query.ts';
import { ExploreTable } from '../explore/explore-tables.tsx';
import { EraseUser } from './erase-user.tsx';
import styles from './user-page.module.css';

const route = getRouteApi('/shell/users/$userId');

/** What one user did and cost: over time, by model, and in the most expensive sessions. */
export function UserPage(): ReactNode {
  const { userId } = route.useParams();
  const { range = 'all', from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const mayErase = useMay('admin');
  const q = searchFor('user', userId) ?? '';
  const shown = from === undefined && to === undefined ? { range } : { from, to };
  return (
    <Page
      title={userId}
      about="User"
      actions={
        <>
          <LinkButton to="/requests" search={{ q, ...shown }}>
            Show requests
          </LinkButton>
          {mayErase && <EraseUser user={userId} onErased={() => void navigate({ to: '/users' })} />}
        </>
      }
      bar={<RangeSelect value={shown} onChange={(chosen: RangeSearch) => void navigate({ search: chosen })} />}
    >
      <Content q={q} range={shown} />
    </Page>
  );
}

/** The least width of a chart with the gap behind it. */
const cardPixels = 332;
const charted: readonly MetricName[] = ['cost', 'count', 'errors'];
const totals: readonly MetricName[] = [
  ...charted,
  'error_rate',
  'prompt_tokens',
  'completion_tokens',
  'prompt_cache_read_rate',
  'sessions',
];
const listed: readonly MetricName[] = ['cost', 'count', 'errors', 'p95_latency'];

function Content({ q, range }: { readonly q: string; readonly range: RangeSearch }): ReactNode {
  const filter = useMemo(() => parseSearch(q).filter, [q]);
  const exploration = useExploration({
    filter,
    range,
    metrics: charted,
    shown: totals,
    by: [],
    sort: 'cost',
    order: 'desc',
    top: 1,
    isOverTime: true,
    chartWidth: chartInRow(cardPixels),
  });
  const { groups, error, isLoading } = exploration;
  if (error !== null) return <PageError error={error} />;
  if (isLoading || groups === undefined) return <Loading what="Loading the figures" />;
  const { total } = groups;
  const failed = `${q} failed:true`;
  if ((total?.count ?? 0) === 0) {
    return (
      <Empty title="No request of this user in this time">
        <p className="muted">
          <Link from="/users/$userId" to="/users/$userId" search={{ range: 'all' }}>
            Search all time
          </Link>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <Totals {...{ total, q, range }} />
      <div className={styles['charts']}>
        {charted.map((metric) => (
          <div key={metric} className={styles['chart']}>
            <CourseChart {...{ exploration, metric, q }} kind="line" height={140} />
          </div>
        ))}
      </div>
      {(total?.errors ?? 0) > 0 && (
        <Groups title="Errors" by="failure_type" q={failed} range={range} metrics={['count', 'p95_latency']} sort="count" />
      )}
      <Groups title="Models" by="model" {...{ q, range }} />
      <Groups title="Most expensive sessions" by="session" {...{ q, range }} />
      <Groups title="Clients" by="client" {...{ q, range }} />
    </>
  );
}

type TotalsProps = Pick<ErrorsProps, 'total' | 'q' | 'range'>;

/** Figures of all requests of the user, each of which leads to what it counts. @param q the search for the user. */
function Totals({ total, q, range }: TotalsProps): ReactNode {
  const linked = (to: '/requests' | '/sessions', metric: 'count' | 'sessions'): ReactNode => (
    <Link to={to} search={{ q, ...range }}>
      {figureText(metric, total)}
    </Link>
  );
  return (
    <Facts
      facts={[
        ['Cost', figureText('cost', total)],
        ['Requests', linked('/requests', 'count')],
        ['Errors', <Errors key="errors" total={total} q={`${q} failed:true`} range={range} />],
        ['Sessions', linked('/sessions', 'sessions')],
        ['Input tokens', figureText('prompt_tokens', total)],
        ['Cached input', figureText('prompt_cache_read_rate', total)],
        ['Output tokens', figureText('completion_tokens', total)],
      ]}
    />
  );
}

interface ErrorsProps {
  readonly total: Figures | undefined;
  /** The search for the failed ones. */
  readonly q: string;
  readonly range: RangeSearch;
}

function Errors({ total, q, range }: ErrorsProps): ReactNode {
  const text = `${figureText('errors', total)} (${formatOf('error_rate')(total?.error_rate ?? null)})`;
  if ((total?.errors ?? 0) === 0) return text;
  return (
    <Link to="/requests" search={{ q, ...range }}>
      {text}
    </Link>
  );
}

interface GroupsProps {
  readonly title: string;
  readonly by: Dimension;
  readonly q: string;
  readonly range: RangeSearch;
  readonly metrics?: readonly MetricName[];
  readonly sort?: MetricName;
}

function Groups({ title, by, q, range, metrics = listed, sort = 'cost' }: GroupsProps): ReactNode {
  const filter = useMemo(() => parseSearch(q).filter, [q]);
  const dimensions = useMemo(() => [by], [by]);
  const asked = { metrics, by: dimensions, sort, order: 'desc' } as const;
  const { groups, names, counted, error } = useExploration({ filter, range, ...asked, top: 10, isOverTime: false });
  return (
    <Section title={title}>
      {error !== null ? (
        <PageError error={error} />
      ) : groups === undefined ? (
        <Loading what="Loading the figures" />
      ) : (
        <ExploreTable answer={groups} {...asked} {...{ q, names }} range={counted} label={`Table of ${title.toLowerCase()}`} />
      )}
    </Section>
  );
}
