import type { Command } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import { measuredWindowHelp } from '../base/measured-window.ts';
import type { LimitSetOptions } from '../limits/limits.ts';

const limitWork = () => import('../limits/limits.ts');

/** Commands on budgets and rate limits, through the running service's API with the key of an organisation. */
export function addLimitCommands(program: Command, dependencies: CommandDependencies): void {
  const limits = program.command('limits').description('budgets and rate limits, and how full they are').helpCommand(false);
  limits
    .command('list')
    .description('list limits, each with how full it is by the record: its fullest user or value')
    .option('--json', 'write a limit a line, as JSON')
    .action(async (options: { readonly json?: true }) => (await limitWork()).listLimits(dependencies, options));
  limits
    .command('set')
    .description('set a budget or a rate limit; one that counts the same gets the new quota')
    .argument('[policy]', 'in place of the options: "5000;calendar=day;u=cents;s=Team", as in Svc-RateLimit-Policy')
    .option('--usd <amount>', 'a budget: at most so many US dollars')
    .option('--requests <count>', 'a rate limit: at most so many requests')
    .option('--per <window>', measuredWindowHelp)
    .option('--by <dimension>', 'for each user, or for each value of a property: user, properties.Team')
    .option('--value <value>', 'with --by: only for this user, or this value of the property')
    .option('--timezone <name>', 'with --per day, week or month: of this time zone, such as Europe/Berlin (default: UTC)')
    .option('--key <id>', 'only for calls of this key, by its identifier')
    .option('--json', 'write all limits as JSON')
    .addHelpText('after', setExamples)
    .action(async (policy: string | undefined, options: LimitSetOptions) => (await limitWork()).setLimit(dependencies, policy, options));
  limits
    .command('delete')
    .description('delete a limit')
    .argument('<policy>', 'its policy, as the list shows it')
    .option('--value <value>', 'the one of this user, or this value of the property')
    .option('--key <id>', 'the one of this key, by its identifier')
    .action(async (policy: string, options: { readonly key?: string; readonly value?: string }) =>
      (await limitWork()).deleteLimit(dependencies, policy, options),
    );
}

const setExamples = `
Examples:
  gatelog limits set --usd 50 --per day --timezone Europe/Berlin
  gatelog limits set --usd 5 --per 1h --by properties.Team
  gatelog limits set --usd 20 --per day --by properties.Team --value search
  gatelog limits set --requests 200 --per day --by user`;
