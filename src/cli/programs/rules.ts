import { type Command, Option } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { PreviewOptions, RowsOptions } from '../rules/alerts.ts';
import type { AlertCreateOptions } from '../rules/alert-create.ts';
import type { ApplyOptions } from '../rules/apply.ts';
import type { DeliveriesOptions, JsonOption, WebhookCreateOptions } from '../rules/webhooks.ts';
import { measuredWindowHelp } from '../base/measured-window.ts';
import { collected, wholeNumber, withFilter, withWindow } from './options.ts';

const standardLimit = 20;
const maxLimit = 1000;
const webhookHelp = 'its name or identifier';
const alertHelp = 'the name or identifier of the rule';

/** Commands on webhooks and alert rules, through the running service's API with the key of an organisation. */
export function addRuleCommands(program: Command, dependencies: CommandDependencies): void {
  program
    .command('apply')
    .description('make webhooks and alert rules what files say; the same files again change nothing')
    .requiredOption('-f, --file <file>', 'a file of rules as YAML or JSON, - for standard input; may be repeated', collected)
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--prune', 'delete webhooks with a name, and rules, that are not in the files')
    .option('--json', 'write the changes as JSON')
    .addHelpText('after', applyExamples)
    .action(async (options: ApplyOptions) => (await import('../rules/apply.ts')).applyRuleFiles(dependencies, options));
  addWebhookCommands(program, dependencies);
  addAlertCommands(program, dependencies);
}

const applyExamples = `
A file:
  webhooks:
    - name: ops
      destination: https://hooks.example.com/gatelog
  alerts:
    - name: Spend of a team
      metric: cost
      threshold: 20
      time_window: 3600000
      grouping: [{property: Team}]
      channels:
        - {type: webhook, webhook: ops}
        - {type: slack, url: "\${SLACK_URL}"}

The service checks all of it before it changes anything; a fault is shown with its file, line and column.

Examples:
  gatelog apply -f rules.yaml --dry-run
  gatelog apply -f rules.yaml
  gatelog apply -f webhooks.yaml -f alerts.yaml --prune`;

const webhookWork = () => import('../rules/webhooks.ts');

function addWebhookCommands(program: Command, dependencies: CommandDependencies): void {
  const webhooks = program.command('webhooks').description('webhooks and their deliveries').helpCommand(false);
  webhooks
    .command('list')
    .description('list webhooks and how their deliveries go')
    .option('--json', 'write a webhook a line, as JSON')
    .action(async (options: JsonOption) => (await webhookWork()).listWebhooks(dependencies, options));
  webhooks
    .command('get')
    .description('show one webhook')
    .argument('<webhook>', webhookHelp)
    .option('--json', 'write it as JSON')
    .action(async (given: string, options: JsonOption) => (await webhookWork()).getWebhook(dependencies, given, options));
  withFilter(
    webhooks
      .command('create')
      .description('create a webhook, and show its secret once; the conditions say which requests it gets')
      .argument('<destination>', 'https address to which events are posted'),
  )
    .option('--name <name>', 'a name, unique in the organisation')
    .option('--event <type>', 'an event that it gets, such as request.completed; may be repeated', collected)
    .option('--sample-rate <percent>', 'percentage of the matching requests', wholeNumber(100))
    .option('--json', 'write it as JSON')
    .action(async (destination: string, options: WebhookCreateOptions) =>
      (await webhookWork()).createWebhook(dependencies, destination, options),
    );
  webhooks
    .command('delete')
    .description('delete a webhook with its deliveries')
    .argument('<webhook>', webhookHelp)
    .action(async (given: string) => (await webhookWork()).deleteWebhook(dependencies, given));
  webhooks
    .command('test')
    .description('send a test event, and show what comes back')
    .argument('<webhook>', webhookHelp)
    .option('--json', 'write the delivery as JSON')
    .action(async (given: string, options: JsonOption) => (await webhookWork()).testWebhook(dependencies, given, options));
  addDeliveryCommands(webhooks, dependencies);
}

function addDeliveryCommands(webhooks: Command, dependencies: CommandDependencies): void {
  webhooks
    .command('deliveries')
    .description('list deliveries, newest first')
    .argument('<webhook>', webhookHelp)
    .addOption(new Option('--state <state>', 'only those in this state').choices(['pending', 'delivered', 'failed', 'gone']))
    .option('--limit <count>', 'how many', wholeNumber(100_000, 1), standardLimit)
    .option('--json', 'write a delivery a line, as JSON')
    .action(async (given: string, options: DeliveriesOptions) => (await webhookWork()).listDeliveries(dependencies, given, options));
  webhooks
    .command('replay')
    .description('retry one delivery, under its identifier')
    .argument('<webhook>', webhookHelp)
    .argument('<delivery>', 'identifier of the delivery, its webhook-id')
    .action(async (given: string, delivery: string) => (await webhookWork()).replayDelivery(dependencies, given, delivery));
  webhooks
    .command('recover')
    .description('retry the deliveries that failed since a time')
    .argument('<webhook>', webhookHelp)
    .requiredOption('--since <time>', 'deliveries made since then, such as 24h or 2026-01-31')
    .action(async (given: string, options: { readonly since: string }) =>
      (await webhookWork()).recoverDeliveries(dependencies, given, options),
    );
  webhooks
    .command('rotate-secret')
    .description('make a new secret, and show it once; the previous one signs too for a day')
    .argument('<webhook>', webhookHelp)
    .option('--json', 'write it as JSON')
    .action(async (given: string, options: JsonOption) => (await webhookWork()).rotateSecret(dependencies, given, options));
}

const alertWork = () => import('../rules/alerts.ts');

function addAlertCommands(program: Command, dependencies: CommandDependencies): void {
  const alerts = program.command('alerts').description('alert rules, their incidents and their history').helpCommand(false);
  alerts
    .command('list')
    .description('list rules and their states')
    .option('--json', 'write a rule a line, as JSON')
    .action(async (options: JsonOption) => (await alertWork()).listAlerts(dependencies, options));
  alerts
    .command('get')
    .description('show one rule')
    .argument('<alert>', alertHelp)
    .option('--json', 'write it as JSON')
    .action(async (given: string, options: JsonOption) => (await alertWork()).getAlert(dependencies, given, options));
  addAlertsCreate(alerts, dependencies);
  alerts
    .command('delete')
    .description('delete a rule with its incidents')
    .argument('<alert>', alertHelp)
    .action(async (given: string) => (await alertWork()).deleteAlert(dependencies, given));
  alerts
    .command('mute')
    .description('mute a rule: no message until a time; incidents go on')
    .argument('<alert>', alertHelp)
    .requiredOption('--until <time>', 'such as 2030-01-31T18:00:00Z')
    .action(async (given: string, { until }: { readonly until: string }) => (await alertWork()).muteAlert(dependencies, given, until));
  alerts
    .command('unmute')
    .description('unmute a rule')
    .argument('<alert>', alertHelp)
    .action(async (given: string) => (await alertWork()).muteAlert(dependencies, given, null));
  alerts
    .command('test')
    .description('send a test message to the channels of a rule')
    .argument('<alert>', alertHelp)
    .action(async (given: string) => (await alertWork()).testAlert(dependencies, given));
  const rows = [
    ['states', 'list the groups of a rule and their states, the most severe first', 'listStates'],
    ['incidents', 'list incidents of a rule, newest first', 'listIncidents'],
    ['history', 'list what happened to a rule, newest first', 'listHistory'],
    ['deliveries', 'list the messages to the channels of a rule, newest first', 'listMessages'],
  ] as const;
  for (const [name, description, run] of rows) {
    alerts
      .command(name)
      .description(description)
      .argument('<alert>', alertHelp)
      .option('--limit <count>', 'how many', wholeNumber(maxLimit, 1), standardLimit)
      .option('--json', 'write one a line, as JSON')
      .action(async (given: string, options: RowsOptions) => (await alertWork())[run](dependencies, given, options));
  }
  withWindow(
    alerts
      .command('preview')
      .description('show when a rule would have fired, by stored requests')
      .argument('<alert>', 'the name or identifier of the rule'),
  )
    .option('-f, --file <file>', 'take the rule of this name from a file of rules, before it is applied')
    .option('--json', 'write series and incidents as JSON')
    .action(async (given: string, options: PreviewOptions) => (await alertWork()).previewAlert(dependencies, given, options));
}

function addAlertsCreate(alerts: Command, dependencies: CommandDependencies): void {
  withFilter(
    alerts
      .command('create')
      .description('create a rule; the conditions say which requests it measures')
      .argument('<name>', 'its name, unique in the organisation'),
  )
    .requiredOption('--metric <name>', 'what it measures: cost, error_rate, p95_latency, count, … (required)')
    .requiredOption(
      '--threshold <number>',
      'when it fires, in the unit of the metric: dollars, milliseconds, percent of response.status (required)',
    )
    .requiredOption('--window <window>', `${measuredWindowHelp} (required)`)
    .addOption(new Option('--comparison <how>', 'at least, above, at most, below (default: gte)').choices(['gte', 'gt', 'lte', 'lt']))
    .option('--by <dimensions>', 'up to three dimensions, each group by itself: user, model, properties.Team')
    .option('--timezone <name>', 'with --window day, week or month: of this time zone (default: UTC)')
    .option('--minimum-requests <count>', 'not with fewer requests in the window', wholeNumber(1_000_000_000))
    .option(
      '--channel <channel>',
      'who is notified: webhook:NAME, email:ADDRESS, slack:URL, teams:URL, pagerduty:KEY; may be repeated',
      collected,
    )
    .option('--enforce', 'of cost: refuse calls beyond the threshold too')
    .option('--json', 'write it as JSON')
    .addHelpText('after', createExamples)
    .action(async (name: string, options: AlertCreateOptions) =>
      (await import('../rules/alert-create.ts')).createAlert(dependencies, name, options),
    );
}

const createExamples = `
Examples:
  gatelog alerts create 'Spend of a team' --metric cost --threshold 20 --window day --by properties.Team --channel webhook:ops
  gatelog alerts create 'Search fails' --metric response.status --threshold 5 --window 10m --property Team=search
A rule with more to say, such as a baseline: "gatelog apply".`;
