import { type ReactNode, useMemo } from 'react';
import type { BucketedRange } from '../../lib/buckets.ts';
import { groupSeries, valuesOf } from '../../lib/metrics/chart-series.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import type { Course, Figures, GroupCourse } from '../../lib/metrics/groups.ts';
import { axisFormatOf, formatChange, formatOf } from '../../lib/metrics/metric-format.ts';
import { timeZone } from '../../lib/zone.ts';
import type { ChartSeries } from '../../ui/chart/chart-data.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Card } from './cards.ts';
import styles from './overview-page.module.css';

export interface OverviewCardProps {
  readonly card: Card;
  readonly buckets: BucketedRange;
  readonly course: Course | undefined;
  readonly split: readonly GroupCourse[] | undefined;
  readonly by: Dimension;
  readonly total: Figures | undefined;
  readonly totalBefore: Figures | undefined;
  readonly onZoom: (from: number, to: number) => void;
}

/** One metric: its figure, its change since the period before, and its course. */
export function OverviewCard({ card, buckets, course, split, by, total, totalBefore, onZoom }: OverviewCardProps): ReactNode {
  const { title, metric, isStacked = false, lines } = card;
  const format = formatOf(metric);
  const drawn = useMemo(
    () =>
      split === undefined
        ? wholeSeries(card, buckets, course)
        : groupSeries(split, { metric, starts: buckets.starts, by: [by], whole: isStacked ? course : undefined }),
    [card, metric, isStacked, buckets, course, split, by],
  );
  return (
    <article className={styles['card']}>
      <Chart
        title={title}
        lead={<Lead {...{ card, total, totalBefore }} />}
        kind={isStacked && (split !== undefined || lines !== undefined) ? 'bars' : 'line'}
        times={buckets.starts}
        series={drawn}
        incompleteFrom={buckets.incompleteFrom}
        zone={timeZone()}
        format={format}
        axisFormat={axisFormatOf(metric)}
        syncKey="overview"
        onZoom={onZoom}
        height={150}
      />
    </article>
  );
}

function Lead({
  card: { metric, better, lines },
  total,
  totalBefore,
}: Pick<OverviewCardProps, 'card' | 'total' | 'totalBefore'>): ReactNode {
  const change = formatChange(total?.[metric], totalBefore?.[metric]);
  return (
    <p className={styles['figure']}>
      <b>{formatOf(metric)(total?.[metric] ?? null)}</b>
      {lines !== undefined && metric.startsWith('p95') && <span className="muted">p95</span>}
      <span className={styles[moodOf(change, better)]}>{change}</span>
      {metric === 'errors' && <span className="muted">{formatOf('error_rate')(total?.error_rate ?? null)} of requests</span>}
      {metric === 'cost' && <Unpriced count={total?.unpriced_count ?? 0} />}
    </p>
  );
}

function Unpriced({ count }: { readonly count: number }): ReactNode {
  return count > 0 ? <span className={styles['bad']}>without {formatOf('count')(count)} unpriced requests</span> : null;
}

function moodOf(change: string, better: Card['better']): string {
  if (better === undefined || !/^[+-]|new|gone/.test(change)) return 'neutral';
  const isMore = change === 'new' || change.startsWith('+');
  return isMore === (better === 'more') ? 'good' : 'bad';
}

/** The lines of all requests; of a single line the period before, too. */
function wholeSeries({ metric, title, lines }: Card, buckets: BucketedRange, rows: Course | undefined): readonly ChartSeries[] {
  const shown = lines ?? [{ metric, title }];
  const now = shown.map((line, index) => ({
    id: line.metric,
    title: line.title,
    color: index + 1,
    values: valuesOf(rows, buckets.starts, line.metric),
  }));
  if (shown.length > 1) return now;
  const before = valuesOf(rows, buckets.before.starts, metric).slice(0, buckets.starts.length);
  return [...now, { id: 'before', title: 'Period before', color: 1, values: before, isBefore: true }];
}
