import type { MetricsOptions } from './metrics.ts';

export interface Report {
  readonly title: string;
  readonly options: MetricsOptions;
}

const isInSession = '{"sessions_request_response_rmt":{"session_session_id":{"not-equals":""}}}';
const isError = '{"request_response_rmt":{"failed":{"equals":true}}}';

/** Questions that everybody asks, as options of `gatelog metrics`. */
export const reports = {
  cost: { title: 'Cost by model', options: { metric: 'cost,count,unpriced_count,total_tokens', by: 'model', startDate: 'today' } },
  sessions: {
    title: 'Most expensive sessions',
    options: { metric: 'cost,count,total_tokens', by: 'session', filter: isInSession, limit: '10', startDate: 'today' },
  },
  users: { title: 'Cost by user', options: { metric: 'cost,count,total_tokens,p95_latency', by: 'user', startDate: 'today' } },
  errors: {
    title: 'What failed',
    options: { metric: 'count,p95_latency', by: 'status,failure_type,model', filter: isError, startDate: 'today' },
  },
  trend: { title: 'Cost by model over time', options: { metric: 'cost,count', by: 'model', interval: 'day', startDate: '7d' } },
} as const satisfies Readonly<Record<string, Report>>;

export type ReportName = keyof typeof reports;

export const reportNames = Object.keys(reports) as readonly ReportName[];

/** Not among the others: it says what to do, too. */
export const unpricedReport = 'unpriced';
