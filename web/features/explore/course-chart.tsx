import { type ReactNode, useMemo } from 'react';
import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import { axisFormatOf, formatOf, metricTitle } from '../../lib/metrics/metric-format.ts';
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
  const { starts, end } = buckets;
  const requestsAt = (index: number) => {
    const { [index]: from, [index + 1]: to = end } = starts;
    return from === undefined ? undefined : { q: q === '' ? undefined : q, from, to };
  };
  return (
    <Chart
      title={title}
      isTitleHidden={isTitleHidden}
      about={shownLines > 0 && shownLines < listed ? `${shownLines} of ${listed} groups` : undefined}
      kind={kind}
      times={starts}
      series={useMemo(() => seriesOf.get(metric) ?? [], [seriesOf, metric])}
      incompleteFrom={buckets.incompleteFrom}
      zone={timeZone()}
      format={formatOf(metric)}
      axisFormat={axisFormatOf(metric)}
      height={height}
      requestsAt={q === undefined ? undefined : requestsAt}
      {...(onZoom === undefined ? {} : { onZoom, syncKey: 'explore' })}
    />
  );
}
