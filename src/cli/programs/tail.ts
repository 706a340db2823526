import { type Command, Option } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { TailOptions } from '../tail/tail.ts';
import { wholeNumber, withFilter, withTimezone } from './options.ts';

/** Earlier requests that may come first. */
const maxLast = 1000;

export function addTailCommand(requests: Command, dependencies: CommandDependencies): void {
  const command = requests.command('tail').description('follow requests live: each as soon as it is stored, until Ctrl-C');
  withTimezone(withFilter(command))
    .addOption(
      new Option('-n, --last <count>', 'begin with the last ones that match (default: 10, with --json 0)').argParser(wholeNumber(maxLast)),
    )
    .addOption(new Option('--max <count>', 'end after so many').argParser(wholeNumber(Number.MAX_SAFE_INTEGER, 1)))
    .option('--include-body', 'with --json: with the bodies of requests and responses')
    .option('--json', 'write a line of JSON for each')
    .addHelpText('after', help)
    .action(async (options: TailOptions) => (await import('../tail/tail.ts')).tailRequests(dependencies, options));
}

const help = `
A line shows time, status, model, latency, cost, @user, #session with its path, and properties. Over lost connections and
restarts of the service each request comes once; what was stored meanwhile follows.

Examples:
  gatelog requests tail
  gatelog requests tail --where 'status>=400' --property Team=search
  gatelog requests tail --last 0 --max 1 --where 'status>=500'      waits for the next failure
  gatelog requests tail --json | jq -r .request_id`;
