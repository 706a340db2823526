import type { Command } from 'commander';
import type { PropertiesSetOptions } from '../properties/set.ts';
import { collected, withFilter } from './options.ts';
import type { CommandDependencies } from '../base/dependencies.ts';

/** Commands on properties: they use the running service's API with the key of an organisation. */
export function addPropertyCommands(program: Command, dependencies: CommandDependencies): void {
  const properties = program.command('properties').description('properties of stored requests').helpCommand(false);
  const command = properties
    .command('set')
    .description('set or remove properties of all requests that match a filter, and show the progress')
    .argument('[assignments...]', 'properties to set: Team=search');
  withFilter(command)
    .option('--remove <name>', 'a property to remove; may be given several times', collected)
    .option('--dry-run', 'print what would change and change nothing')
    .option('--undo <job>', 'undo an earlier job instead: restore what it changed')
    .option('--json', 'write the report as JSON')
    .action(async (assignments: readonly string[], options: PropertiesSetOptions) =>
      (await import('../properties/set.ts')).setProperties(dependencies, assignments, options),
    );
}
