import { Argument, type Command, Option } from 'commander';
import { intervals, metricNames, dimensions as knownDimensions } from '../../model/vocabulary/metrics.ts';
import type { MetricsOptions } from '../metrics/metrics.ts';
import type { SimulateOptions } from '../metrics/simulate.ts';
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
  const simulated = program
    .command('simulate')
    .description(
      "what requests would have cost with another model or tier, or without the provider's cache; which a limit would have refused",
    )
    .option('--model <name>', 'another model, at its present price')
    .option('--provider <name>', 'who would serve it (default: its maker)')
    .option('--tier <name>', 'another service tier, such as batch, flex, priority or default')
    .option('--without-cache', "as if the provider's cache had not been used")
    .option('--limit <policy>', 'instead: which requests a limit such as "2500;calendar=month;u=cents;s=user" would have refused');
  withFilter(withWindow(simulated))
    .option('--json', 'write the report as JSON')
    .addHelpText('after', simulateExamples)
    .action(async (options: SimulateOptions) => (await import('../metrics/simulate.ts')).simulate(dependencies, options));
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

const simulateExamples = `
Examples:
  gatelog simulate --model gpt-4.1-mini --where model=gpt-4.1 --since 30d
  gatelog simulate --tier batch --property Team=reports --since 7d
  gatelog simulate --without-cache --since 7d
  gatelog simulate --limit '2500;calendar=month;u=cents;s=user' --since 60d`;

const reportExamples = `
Examples:
  gatelog report                              all of them, of today (the trend: of seven days)
  gatelog report sessions --start-date 7d     the most expensive sessions of a week
  gatelog report errors                       what failed today
  gatelog report unpriced                     models without a price, and the line that prices them
  gatelog report --by properties.Team --metric cost`;
