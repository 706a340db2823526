import { type ReactNode, useMemo } from 'react';
import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import { bucketAt } from '../../lib/buckets.ts';
import { axisFormatOf, formatOf, metricTitle } from '../../lib/metrics/metric-format.ts';
import { requestsOfMetric } from '../../lib/metrics/requests-of.ts';
import { timeZone } from '../../lib/zone.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { useExploration } from './explore-query.ts';

export interface CourseChartProps {
  readonly exploration: ReturnType<typeof useExploration>;
  readonly metric: AskedMetric;
  /** Absent: the name of the metric. */
  readonly title?: string;
  /** The search whose requests are drawn; undefined: no link leads to them. */
  readonly q: string | undefined;
  readonly kind: 'line' | 'bars';
  readonly height: number;
  readonly isTitleHidden?: boolean;
  readonly onZoom?: (from: number, to: number) => void;
}

/** A metric of an exploration over time. */
export function CourseChart({
  exploration,
  metric,
  title = metricTitle(metric),
  q,
  kind,
  height,
  isTitleHidden = false,
  onZoom,
}: CourseChartProps): ReactNode {
  const { buckets, seriesOf, groups, shownLines } = exploration;
  const listed = groups?.groups.length ?? 0;
  const counted = q === undefined ? undefined : requestsOfMetric({ q, range: {}, by: [], key: [] }, metric);
  const requestsAt = (index: number) => {
    const bucket = bucketAt(buckets, index);
    return bucket === undefined ? undefined : { q: counted?.q, ...bucket };
  };
  return (
    <Chart
      title={title}
      isTitleHidden={isTitleHidden}
      about={shownLines > 0 && shownLines < listed ? `${shownLines} of ${listed} groups` : undefined}
      kind={kind}
      times={buckets.starts}
      series={useMemo(() => seriesOf.get(metric) ?? [], [seriesOf, metric])}
      incompleteFrom={buckets.incompleteFrom}
      zone={timeZone()}
      format={formatOf(metric)}
      axisFormat={axisFormatOf(metric)}
      height={height}
      requestsAt={counted === undefined ? undefined : requestsAt}
      {...(onZoom === undefined ? {} : { onZoom, syncKey: 'explore' })}
    />
  );
}
