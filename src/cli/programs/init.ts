import type { Command } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { InitOptions } from '../init/answers.ts';
import { collected, wholeNumber } from './options.ts';

const maxPort = 65_535;

/** The first minutes: settings, a start and a call. */
export function addInitCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('init')
    .description('ask for what a first start needs, write it into .env, start everything and send a first call')
    .option('--gateway-port <port>', 'port of the gateway', wholeNumber(maxPort, 1))
    .option('--api-port <port>', 'port of the API', wholeNumber(maxPort, 1))
    .option('--data-dir <folder>', 'folder for all data')
    .option('--provider-key <provider=variable>', 'a provider, and the variable that holds its key; may be repeated', collected)
    .option('--first-call <model>', 'model of the first call, such as echo/demo, which needs no account')
    .option('--yes', 'ask nothing: take defaults for what no option says, and change a .env that is there')
    .option('--no-start', 'write .env and end')
    .action(async (options: InitOptions) => (await import('../init/init.ts')).initialise(dependencies, options));
}
