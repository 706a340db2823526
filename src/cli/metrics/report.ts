import { serviceClient } from '../client.ts';
import type { CommandDependencies } from '../dependencies.ts';
import { type MetricsOptions, printAnswer, questionOf } from './metrics.ts';

interface Report {
  readonly title: string;
  readonly options: MetricsOptions;
}

const isError =
  '{"left":{"request_response_rmt":{"status":{"gte":400}}},"operator":"or","right":{"request_response_rmt":{"status":{"lt":200}}}}';

/** Questions that everybody asks, as options of `gatelog metrics`. */
export const reports = {
  cost: { title: 'Cost by model', options: { metric: 'cost,count,unpriced_count,total_tokens', by: 'model', startDate: 'today' } },
  sessions: { title: 'Dearest sessions', options: { metric: 'cost,count,total_tokens', by: 'session', limit: '10', startDate: 'today' } },
  users: { title: 'Cost by user', options: { metric: 'cost,count,total_tokens,p95_latency', by: 'user', startDate: 'today' } },
  errors: {
    title: 'What failed',
    options: { metric: 'count,p95_latency', by: 'status,provider,model', filter: isError, startDate: 'today' },
  },
  trend: { title: 'Cost by model over time', options: { metric: 'cost,count', by: 'model', interval: 'day', startDate: '7d' } },
} as const satisfies Readonly<Record<string, Report>>;

export type ReportName = keyof typeof reports;

export const reportNames = Object.keys(reports) as readonly ReportName[];

/** `gatelog report`: all reports, or one; options replace those of the report. */
export async function showReport(dependencies: CommandDependencies, name: ReportName | undefined, options: MetricsOptions): Promise<void> {
  const client = serviceClient(dependencies);
  const isOwn = name === undefined && (options.by !== undefined || options.metric !== undefined);
  for (const one of isOwn ? (['cost'] as const) : name === undefined ? reportNames : [name]) {
    const report: Report = reports[one];
    const { filter } = report.options;
    // A report keeps its own filter beside the caller's.
    const joined = filter === undefined || options.filter === undefined ? {} : { filter: bothFilters(filter, options.filter) };
    const question = questionOf({ ...report.options, ...options, ...joined }, dependencies.now());
    if (options.json !== true) dependencies.print(`${one === 'cost' ? '' : '\n'}${isOwn ? 'Report' : report.title}, ${spanText(question)}`);
    await printAnswer(dependencies, client, question, options.json === true);
  }
}

function bothFilters(one: string, other: string): string {
  return other === 'all' ? one : `{"left":${one},"operator":"and","right":${other}}`;
}

function spanText({ startTimeUnixMs: from, endTimeUnixMs: to }: ReturnType<typeof questionOf>): string {
  const since = from === undefined ? 'of all time' : `since ${new Date(from).toISOString()}`;
  return to === undefined ? since : `${since} until ${new Date(to + 1).toISOString()}`;
}
