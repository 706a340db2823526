import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { RequestsGetOptions } from '../requests/get.ts';
import type { RequestsListOptions } from '../requests/list.ts';
import { addTailCommand } from './tail.ts';
import { suggesting, wholeNumber, withFilter, withTimezone, withWindow } from './options.ts';

const standardLimit = 20;
const maxLimit = 1_000_000;

/** Commands that read requests, through the running service's API with the key of an organisation. */
export function addRequestCommands(program: Command, dependencies: CommandDependencies): void {
  const requests = program.command('requests').description('recorded requests').helpCommand(false);
  const list = requests.command('list').description('list requests that match, newest first').addHelpText('after', listExamples);
  withTimezone(withWindow(withFilter(list)))
    .addOption(
      suggesting(new Option('--sort <keys>', 'another order, such as cost or latency:asc; the first key first'), {
        values: async () => (await import('../requests/names.ts')).suggestedSorts,
        isList: true,
      }),
    )
    .option('--limit <count>', 'how many', wholeNumber(maxLimit, 1), standardLimit)
    .addOption(
      suggesting(new Option('--columns <names>', 'these columns in this order, such as time,cost,properties.Team'), {
        values: async () => (await import('../requests/names.ts')).suggestedColumns,
        isList: true,
      }),
    )
    .option('--include-body', 'with --json: with the bodies of requests and responses')
    .option('--json', 'write a request a line, as JSON')
    .action(async (options: RequestsListOptions) => (await import('../requests/list.ts')).listRequests(dependencies, options));
  withTimezone(
    requests
      .command('get')
      .description('show one request: what is on record of it')
      .argument('<id>', 'its identifier, the header svc-id of the response'),
  )
    .option('--include-body', 'with the bodies of request and response')
    .option('--cost', 'show why it costs what it costs, line by line')
    .option('--json', 'write it as JSON')
    .addHelpText('after', getExamples)
    .action(async (id: string, options: RequestsGetOptions) => (await import('../requests/get.ts')).getRequest(dependencies, id, options));
  addTailCommand(requests, dependencies);
}

const listExamples = `
Examples:
  gatelog requests list --since today --where 'status>=400'
  gatelog requests list --property Team=search --sort cost --limit 5
  gatelog requests list --where model=gpt-4o --columns time,latency,cost,properties.Team
  gatelog requests list --since 1h --limit 1000 --json | jq .cost`;

const getExamples = `
Examples:
  gatelog requests get 0199a5b2-7c3e-7d41-9b5e-3f0c2a1d4e6f
  gatelog requests get 0199a5b2-7c3e-7d41-9b5e-3f0c2a1d4e6f --include-body --json | jq .response_body`;
