import type { MetricName } from '../../../src/model/vocabulary/metrics.ts';

/** A chart of the overview. */
export interface Card {
  readonly title: string;
  /** What stands in large figures; the charts of groups show it. */
  readonly metric: MetricName;
  /** Lines of a chart that is not split; absent: the metric. */
  readonly lines?: readonly { readonly metric: MetricName; readonly title: string }[];
  /** What more is better for: a rise of errors is no good news. */
  readonly better?: 'more' | 'less';
  readonly isStacked?: boolean;
  /** Series colour of the first line; absent: 1. */
  readonly color?: number;
  /** The search that the requests of the figure match beside that of the page; absent: all of them do. */
  readonly search?: string;
}

export const cards: readonly Card[] = [
  { title: 'Requests', metric: 'count', isStacked: true },
  { title: 'Cost', metric: 'cost', better: 'less', isStacked: true },
  { title: 'Errors', metric: 'errors', better: 'less', isStacked: true, color: 9, search: 'failed:true' },
  {
    title: 'Latency',
    metric: 'p95_latency',
    better: 'less',
    lines: [
      { metric: 'p50_latency', title: 'p50' },
      { metric: 'p95_latency', title: 'p95' },
      { metric: 'p99_latency', title: 'p99' },
    ],
  },
  {
    title: 'Time to first token',
    metric: 'p95_time_to_first_token',
    better: 'less',
    lines: [
      { metric: 'p50_time_to_first_token', title: 'p50' },
      { metric: 'p95_time_to_first_token', title: 'p95' },
      { metric: 'p99_time_to_first_token', title: 'p99' },
    ],
  },
  {
    title: 'Tokens',
    metric: 'total_tokens',
    isStacked: true,
    lines: [
      { metric: 'prompt_tokens', title: 'Input' },
      { metric: 'completion_tokens', title: 'Output' },
    ],
  },
  {
    title: 'Cached input',
    metric: 'prompt_cache_read_rate',
    better: 'more',
    search: 'prompt_cache_read_tokens:>0',
  },
  { title: 'Cached responses', metric: 'cached_count', better: 'more', isStacked: true, search: 'cached:true' },
  {
    title: 'Users and sessions',
    metric: 'users',
    lines: [
      { metric: 'users', title: 'Users' },
      { metric: 'sessions', title: 'Sessions' },
    ],
  },
];
