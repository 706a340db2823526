import type { Command } from 'commander';
import type { ImportOptions } from '../commands/import.ts';
import type { CommandDependencies } from '../dependencies.ts';

export function addImportCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('import')
    .description('import requests from files of JSON lines, as an export writes them; a second time adds nothing')
    .argument('<file...>', 'files with one request a line, plain or compressed with gzip; "-" is standard input')
    .option('--dry-run', 'check the lines, say what would happen, and store nothing')
    .option('--json', 'write the outcome as JSON')
    .action(async (files: readonly string[], options: ImportOptions) =>
      (await import('../commands/import.ts')).importFiles(dependencies, files, options),
    );
}
