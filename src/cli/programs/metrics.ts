import { Argument, type Command, Option } from 'commander';
import { intervals, metricNames, dimensions as knownDimensions } from '../../model/vocabulary/metrics.ts';
import type { MetricsOptions } from '../metrics/metrics.ts';
import { type ReportName, reportNames, unpricedReport } from '../metrics/reports.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { type Suggested, suggesting, withFilter, withTimezone, withWindow } from './options.ts';

/** Commands that ask for metrics of the record, through the running service's API with the key of an organisation. */
export function addMetricsCommands(program: Command, dependencies: CommandDependencies): void {
  withQuestion(
    program
      .command('metrics')
      .description('metrics of requests by any dimensions: cost by team, errors by model, a series over time')
      .option('--list', 'show every metric and dimension that there is')
      .addHelpText('after', metricsExamples),
  ).action(async (options: MetricsOptions) => (await import('../metrics/metrics.ts')).showMetrics(dependencies, options));
  withQuestion(
    program
      .command('report')
      .description(
        'the questions that everybody asks: cost, most expensive sessions, users, failures, trend; without a name all of them; unpriced: models without a price',
      )
      .addArgument(new Argument('[report]', 'one of them').choices([...reportNames, unpricedReport]))
      .addHelpText('after', reportExamples),
  ).action(async (name: ReportName | typeof unpricedReport | undefined, options: MetricsOptions) =>
    name === unpricedReport
      ? (await import('../metrics/unpriced.ts')).showUnpriced(dependencies, options)
      : (await import('../metrics/report.ts')).showReport(dependencies, name, options),
  );
}

const metrics: Suggested = { values: () => metricNames, isList: true };
const dimensions: Suggested = { values: () => [...Object.keys(knownDimensions), 'properties.', 'inputs.'], isList: true };

function withQuestion(command: Command): Command {
  const asked = command
    .addOption(
      suggesting(
        new Option('--metric <names>', 'metrics, separated by commas (cost, count, errors, p95_latency, …); the first one orders the rows'),
        metrics,
      ),
    )
    .addOption(
      suggesting(new Option('--by <dimensions>', 'up to three dimensions: model, user, session, status, properties.Team, …'), dimensions),
    )
    .addOption(new Option('--interval <length>', 'a series over time, in steps of this length').choices(intervals));
  return withFilter(withTimezone(withWindow(asked)))
    .addOption(suggesting(new Option('--sort <metrics>', 'the order instead, such as count or cost:asc'), metrics))
    .option('--limit <rows>', 'how many rows; a further row tells what the others make together (default: 20 groups, a whole series)')
    .option('--json', 'write the rows as JSON');
}

const metricsExamples = `
Examples:
  gatelog metrics --start-date today --property Team=search
  gatelog metrics --metric cost,count,p95_latency --by model --start-date 7d
  gatelog metrics --metric cost --by properties.Team --interval day --start-date 30d --timezone Europe/Berlin
  gatelog metrics --metric errors,error_rate --by provider,status --json`;

const reportExamples = `
Examples:
  gatelog report                              all of them, of today (the trend: of seven days)
  gatelog report sessions --start-date 7d     the most expensive sessions of a week
  gatelog report errors                       what failed today
  gatelog report unpriced                     models without a price, and the line that prices them
  gatelog report --by properties.Team --metric cost`;
