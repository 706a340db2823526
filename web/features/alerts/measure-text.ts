import type { Alert, NewAlert } from '../../../src/client/client.ts';
import { type AggregatedColumn, aggregatedColumns, failedPercent } from '../../../src/model/events/alert-vocabulary.ts';
import { metrics, type MetricName } from '../../../src/model/vocabulary/metrics.ts';
import { formatBytes, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { metricTitle } from '../../lib/metrics/metric-format.ts';
import type { AlertMetric } from './rule/rule-draft.ts';

/** The title of a column. Times are metrics only with their aggregation. */
function columnTitle(column: AggregatedColumn): string {
  switch (column) {
    case 'latency':
      return 'Latency';
    case 'time_to_first_byte':
      return 'Time to first byte';
    case 'time_to_first_token':
      return 'Time to first token';
    default:
      return metricTitle(column);
  }
}

/** The metrics of rules with their titles, the most wanted first. Those that an aggregation of a column says too are left out. */
const alertMetrics: readonly { readonly value: AlertMetric; readonly label: string }[] = [
  { value: 'cost', label: columnTitle('cost') },
  { value: failedPercent, label: 'Failed requests' },
  { value: 'count', label: metricTitle('count') },
  { value: 'latency', label: columnTitle('latency') },
  ...(['errors', 'users', 'sessions', 'cached_count', 'threats', 'unpriced_count'] as const).map((value) => ({
    value,
    label: metricTitle(value),
  })),
  ...(Object.keys(aggregatedColumns) as readonly AggregatedColumn[])
    .filter((column) => column !== 'cost' && column !== 'latency')
    .map((value) => ({ value, label: columnTitle(value) })),
];

/** The metrics of a form; a rule that the API made may have one more. */
export function metricOptions(chosen: AlertMetric): typeof alertMetrics {
  const isListed = alertMetrics.some(({ value }) => value === chosen);
  return isListed ? alertMetrics : [...alertMetrics, { value: chosen, label: metricTitle(chosen as MetricName) }];
}

const units = { usd: formatCost, milliseconds: formatDuration, bytes: formatBytes } as const;

function unitOf(metric: AlertMetric): string {
  if (metric === failedPercent) return 'percent';
  if (Object.hasOwn(aggregatedColumns, metric)) return aggregatedColumns[metric as keyof typeof aggregatedColumns];
  return metrics[metric as MetricName].unit;
}

function percentText(value: number | null): string {
  return value === null ? formatCount(null) : `${formatCount(Math.round(value * 100) / 100)} %`;
}

/** A value of a rule in the unit of its metric; of a comparison with days before it is percent. */
export function measureFormat(metric: AlertMetric, isBaseline: boolean): (value: number | null) => string {
  const unit = unitOf(metric);
  if (isBaseline || unit === 'percent') return percentText;
  return units[unit as keyof typeof units] ?? formatCount;
}

/** What a threshold is measured in. */
export function thresholdUnit(metric: AlertMetric, isBaseline: boolean): string {
  if (isBaseline) return '% of the days before';
  return { usd: 'US dollars', milliseconds: 'milliseconds', bytes: 'bytes', percent: '%', ratio: 'of 1' }[unitOf(metric)] ?? unitOf(metric);
}

export const comparisons = { gte: 'at least', gt: 'more than', lt: 'less than', lte: 'at most' } as const;

/** The title of what a rule measures: "Latency, p95". */
export function measureTitle({ metric, aggregation, percentile }: Pick<NewAlert, 'metric' | 'aggregation' | 'percentile'>): string {
  const title = alertMetrics.find(({ value }) => value === metric)?.label ?? metricTitle(metric as MetricName);
  if (!Object.hasOwn(aggregatedColumns, metric) || aggregation === null || aggregation === undefined || aggregation === 'sum') return title;
  const words = { avg: 'mean', min: 'minimum', max: 'maximum', percentile: `p${percentile ?? 50}` } as const;
  return `${title}, ${words[aggregation]}`;
}

/** Whether nobody is told of what the rule finds at present. */
export function isMuted({ mute_until: until }: Pick<Alert, 'mute_until'>): boolean {
  return until !== null && Date.parse(until) > Date.now();
}

type Measured = Pick<
  NewAlert,
  'metric' | 'aggregation' | 'percentile' | 'threshold' | 'comparison' | 'baseline' | 'window' | 'time_window'
>;

/** A rule as a sentence: "Cost at least $20 over 60 min", "Cost at least $20 per day (UTC)". */
export function ruleText(rule: Measured): string {
  const isBaseline = rule.baseline !== null && rule.baseline !== undefined;
  const threshold = measureFormat(rule.metric, isBaseline)(rule.threshold);
  const than = isBaseline ? `${threshold} of the days before` : threshold;
  return `${measureTitle(rule)} ${comparisons[rule.comparison ?? 'gte']} ${than} ${windowText(rule)}`;
}

function windowText({ window, time_window: length }: Measured): string {
  if (window !== null && window !== undefined) return `per ${window.calendar} (${window.timezone ?? 'UTC'})`;
  return `over ${formatDuration(length ?? 0)}`;
}
