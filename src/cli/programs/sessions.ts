import { type Command, Option } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { SessionsListOptions } from '../sessions/list.ts';
import type { SessionsShowOptions } from '../sessions/show.ts';
import type { UsersOptions } from '../users/users.ts';
import { suggesting, wholeNumber, withFilter, withTimezone, withWindow } from './options.ts';

const standardLimit = 20;
const maxLimit = 1_000_000;
const sessionRequests = { standard: 1000, max: 100_000 } as const;

/** Commands on sessions and users, through the running service's API with the key of an organisation. */
export function addSessionCommands(program: Command, dependencies: CommandDependencies): void {
  const sessions = program.command('sessions').description('sessions: requests that belong together').helpCommand(false);
  addSessionsList(sessions, dependencies);
  withTimezone(sessions.command('show').description('show the tree of a session: cost, time, status and model of each node'))
    .argument('<id>', 'its identifier, the header Svc-Session-Id')
    .option('--nodes', 'the nodes alone, without their requests')
    .option('--limit <count>', 'requests that are read', wholeNumber(sessionRequests.max, 1), sessionRequests.standard)
    .option('--include-body', 'with --json: with the bodies of requests and responses')
    .option('--json', 'write session, requests and tree as JSON')
    .addHelpText('after', showExamples)
    .action(async (id: string, options: SessionsShowOptions) =>
      (await import('../sessions/show.ts')).showSession(dependencies, id, options),
    );
  addUsers(program, dependencies);
}

function addSessionsList(sessions: Command, dependencies: CommandDependencies): void {
  const command = sessions.command('list').description('list sessions that match, the most recently used first');
  withTimezone(withWindow(withFilter(command)))
    .option('--search <text>', 'only sessions whose identifier or name holds this text')
    .option('--name <name>', 'only sessions of this whole name')
    .addOption(
      suggesting(new Option('--sort <keys>', 'another order, such as cost or requests:asc; the first key first'), {
        values: async () => (await import('../sessions/names.ts')).suggestedSessionSorts,
        isList: true,
      }),
    )
    .option('--limit <count>', 'how many', wholeNumber(maxLimit, 1), standardLimit)
    .option('--json', 'write a session a line, as JSON')
    .addHelpText('after', listExamples)
    .action(async (options: SessionsListOptions) => (await import('../sessions/list.ts')).listSessions(dependencies, options));
}

function addUsers(program: Command, dependencies: CommandDependencies): void {
  const command = program
    .command('users')
    .description('users with their totals, the most recently active first; or one of them')
    .argument('[id]', 'a user, by the header Svc-User-Id');
  withTimezone(withWindow(withFilter(command, { values: async () => (await import('../filter/names.ts')).userFieldNames })))
    .addOption(
      suggesting(new Option('--sort <keys>', 'another order, such as cost or requests:asc; the first key first'), {
        values: async () => (await import('../users/names.ts')).suggestedUserSorts,
        isList: true,
      }),
    )
    .option('--limit <count>', 'how many', wholeNumber(maxLimit, 1), standardLimit)
    .option('--json', 'write a user a line, as JSON')
    .addHelpText('after', usersExamples)
    .action(async (id: string | undefined, options: UsersOptions) =>
      (await import('../users/users.ts')).showUsers(dependencies, id, options),
    );
}

const listExamples = `
Examples:
  gatelog sessions list --since 7d --sort cost --limit 5
  gatelog sessions list --where 'session_total_cost>1' --search checkout
  gatelog sessions list --json | jq -r .session_id`;

const showExamples = `
Examples:
  gatelog sessions show support-4711
  gatelog sessions show support-4711 --nodes`;

const usersExamples = `
Examples:
  gatelog users --sort cost --since 30d
  gatelog users --where 'user_cost>1'
  gatelog users ada --since today`;
