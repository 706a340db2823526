import type { ReactNode } from 'react';
import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { axisFormatOf, formatOf, metricTitle } from '../../lib/metrics/metric-format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { useExploration } from './explore-query.ts';

export interface CourseChartProps {
  readonly exploration: ReturnType<typeof useExploration>;
  readonly metric: MetricName;
  readonly kind: 'line' | 'bars';
  readonly height: number;
  readonly onZoom?: (from: number, to: number) => void;
}

/** The first metric of an exploration over time. */
export function CourseChart({ exploration, metric, kind, height, onZoom }: CourseChartProps): ReactNode {
  const { buckets, series, groups, shownLines } = exploration;
  const listed = groups?.groups.length ?? 0;
  return (
    <Chart
      title={metricTitle(metric)}
      about={shownLines > 0 && shownLines < listed ? `${shownLines} of ${listed} groups` : undefined}
      kind={kind}
      times={buckets.starts}
      series={series}
      incompleteFrom={buckets.incompleteFrom}
      zone={timeZone()}
      format={formatOf(metric)}
      axisFormat={axisFormatOf(metric)}
      height={height}
      {...(onZoom === undefined ? {} : { onZoom })}
    />
  );
}
