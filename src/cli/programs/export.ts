import { type Command, Option } from 'commander';
import { compressions, exportFormats } from '../../model/vocabulary/export.ts';
import type { ExportOptions } from '../commands/export.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { suggesting, withFilter, withWindow } from './options.ts';

export function addExportCommand(program: Command, dependencies: CommandDependencies): void {
  const command = program
    .command('export')
    .description('write requests to a file, a folder of files, or standard output')
    .addOption(
      new Option(
        '--format <format>',
        `${exportFormats.slice(0, -1).join(', ')} or ${exportFormats.at(-1) ?? ''}; else by the ending of --output, else jsonl`,
      ).choices(exportFormats),
    );
  withFilter(withWindow(command))
    .addOption(
      suggesting(new Option('--columns <names>', 'these columns in this order, such as model,cost,properties.Team'), {
        values: async () => (await import('../requests/names.ts')).exportedColumns,
        isList: true,
      }),
    )
    .option('--include-body', 'with the bodies of requests and responses')
    .option('--output <path>', 'a file, a folder (with a / at its end) for files of at most 1 GiB and a manifest, or - for standard output')
    .addOption(new Option('--compress <kind>', 'gzip, zstd or none; else by the ending of --output').choices(compressions))
    .option('--resume', 'go on with the export to --output that broke off')
    .option('--raw', 'csv: cells as they are, also those that a spreadsheet would run')
    .option('--bom', 'csv: a byte order mark first, by which Excel knows UTF-8')
    .option('--json', 'write the manifest to standard output at the end')
    .action(async (options: ExportOptions) => (await import('../commands/export.ts')).exportRecords(dependencies, options));
}
