import type { Command } from 'commander';
import type { PropertiesSetOptions } from '../properties/set.ts';
import type { CommandDependencies } from '../dependencies.ts';

/** Commands on properties: they use the running service's API with the key of an organisation. */
export function addPropertyCommands(program: Command, dependencies: CommandDependencies): void {
  const properties = program.command('properties').description('properties of stored requests').helpCommand(false);
  properties
    .command('set')
    .description('set or remove properties of all requests that match a filter, and show the progress')
    .argument('[assignments...]', 'properties to set: Team=search')
    .option('--filter <json>', 'a filter as in a query, or "all" (required, except with --undo)')
    .option('--remove <name>', 'a property to remove; may be given several times', collected, [])
    .option('--dry-run', 'print what would change and change nothing')
    .option('--undo <job>', 'undo an earlier job instead: restore what it changed')
    .option('--json', 'write the report as JSON')
    .action(async (assignments: readonly string[], options: PropertiesSetOptions) =>
      (await import('../properties/set.ts')).setProperties(dependencies, assignments, options),
    );
}

function collected(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
