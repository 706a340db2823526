import { serviceClient } from '../client.ts';
import type { CommandDependencies } from '../dependencies.ts';
import { type MetricsOptions, printAnswer, questionOf } from './metrics.ts';
import { type Report, type ReportName, reportNames, reports } from './reports.ts';

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
