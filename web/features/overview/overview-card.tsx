import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { bucketAt, type BucketedRange } from '../../lib/buckets.ts';
import { groupSeries, valuesOf } from '../../lib/metrics/chart-series.ts';
import { type Dimension, searchAnd } from '../../lib/metrics/dimensions.ts';
import type { Course, Figures, GroupCourse } from '../../lib/metrics/groups.ts';
import { formatAmount, formatTokens } from '../../lib/format.ts';
import { axisFormatOf, figureText, formatChange, formatOf, isUnpriced } from '../../lib/metrics/metric-format.ts';
import { requestsOfGroup } from '../../lib/metrics/requests-of.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { timeZone } from '../../lib/zone.ts';
import type { ChartBand, ChartSeries } from '../../ui/chart/chart-data.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Card } from './cards.ts';
import { moodOf } from './mood.ts';
import styles from './overview-page.module.css';

/** Groups over time, and the dimension that tells them apart. */
export interface Split {
  readonly by: Dimension;
  readonly courses: readonly GroupCourse[];
}

export interface OverviewCardProps {
  readonly card: Card;
  readonly buckets: BucketedRange;
  readonly course: Course | undefined;
  /** Undefined: the card shows all requests as one. */
  readonly split: Split | undefined;
  readonly total: Figures | undefined;
  readonly totalBefore: Figures | undefined;
  readonly q: string;
  readonly range: RangeSearch;
  readonly incidents: readonly ChartBand[];
  readonly onZoom: (from: number, to: number) => void;
}

/** One metric: its figure, its change since the period before, and its course. */
export function OverviewCard({ card, buckets, course, split, q, range, incidents, onZoom, ...totals }: OverviewCardProps): ReactNode {
  const { title, metric, isStacked = false, lines, search } = card;
  const query = searchAnd(q, search);
  // One by one: the object of them is new each time.
  const { range: relative, from, to } = range;
  const drawn = useMemo(
    () =>
      split === undefined
        ? wholeSeries(card, buckets, course)
        : groupSeries(split.courses, {
            metric,
            starts: buckets.starts,
            by: [split.by],
            whole: isStacked ? course : undefined,
            requestsOf: (key) => requestsOfGroup({ q: query, range: { range: relative, from, to }, by: [split.by], key }),
          }),
    [card, metric, isStacked, buckets, course, split, query, relative, from, to],
  );
  return (
    <article className={styles['card']}>
      <Chart
        title={title}
        lead={<Lead {...{ card, q: query, range }} {...totals} />}
        kind={isStacked && (split !== undefined || lines !== undefined) ? 'bars' : 'line'}
        times={buckets.starts}
        series={drawn}
        incompleteFrom={buckets.incompleteFrom}
        zone={timeZone()}
        format={formatOf(metric)}
        axisFormat={axisFormatOf(metric)}
        syncKey="overview"
        bands={incidents}
        onZoom={onZoom}
        height={150}
        requestsAt={(index) => {
          const bucket = bucketAt(buckets, index);
          return bucket === undefined ? undefined : { q: query, ...bucket };
        }}
      />
    </article>
  );
}

interface LeadProps extends Pick<OverviewCardProps, 'card' | 'range' | 'total' | 'totalBefore'> {
  readonly q: string | undefined;
}

function Lead({ card: { title, metric, better, lines }, total, totalBefore, q, range }: LeadProps): ReactNode {
  const known = (figures: Figures | undefined): number | null | undefined => (isUnpriced(metric, figures) ? null : figures?.[metric]);
  const compared = { now: known(total), before: known(totalBefore) };
  const mood = moodOf({ ...compared, requests: [total?.count ?? 0, totalBefore?.count ?? 0] }, better);
  return (
    <p className={styles['figure']}>
      <Link to="/requests" search={{ q, ...range }} aria-label={`${title}: ${figureText(metric, total)}. Show the requests`}>
        {figureText(metric, total)}
      </Link>
      {lines !== undefined && metric.startsWith('p95') && <span className="muted">p95</span>}
      <span className={styles[mood]}>{formatChange(compared.now, compared.before)}</span>
      {total !== undefined && beside[metric]?.(total)}
    </p>
  );
}

/** What else a figure says. */
const beside: Readonly<Partial<Record<MetricName, (total: Figures) => ReactNode>>> = {
  errors: (total) => <span className="muted">{figureText('error_rate', total)} of requests</span>,
  cost: ({ unpriced_count: count }) =>
    (count ?? 0) === 0 ? null : <Link to="/prices">{formatAmount(count, 'request')} without a price</Link>,
  users: (total) => <span className="muted">in {formatAmount(total.sessions, 'session')}</span>,
  prompt_cache_read_rate: (total) => <span className="muted">{savedText(total)}</span>,
  cached_count: ({ cached_count: cached, count }) => (
    <span className="muted">{formatOf('error_rate')(share(cached, count))} of requests came from the cache</span>
  ),
};

/** What the caches of providers saved, where prices tell it. */
function savedText({ prompt_cache_savings: saved, prompt_cache_read_tokens: tokens }: Figures): string {
  const read = `${formatTokens(tokens)} read from caches of providers`;
  return (saved ?? 0) > 0 ? `saved ${formatOf('prompt_cache_savings')(saved ?? null)}: ${read}` : read;
}

function share(part: number | null | undefined, whole: number | null | undefined): number | null {
  return typeof part === 'number' && typeof whole === 'number' && whole > 0 ? part / whole : null;
}

/** The lines of all requests; of a single line the period before, too. */
function wholeSeries({ metric, title, lines, color = 1 }: Card, buckets: BucketedRange, rows: Course | undefined): readonly ChartSeries[] {
  const shown = lines ?? [{ metric, title }];
  const now = shown.map((line, index) => ({
    id: line.metric,
    title: line.title,
    color: color + index,
    values: valuesOf(rows, buckets.starts, line.metric),
  }));
  if (shown.length > 1 || buckets.isOpen) return now;
  const before = valuesOf(rows, buckets.before.starts, metric).slice(0, buckets.starts.length);
  return [...now, { id: 'before', title: 'Previous period', color, values: before, isBefore: true }];
}
