import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportOptions } from '../commands/import.ts';
import type { ImportHeliconeOptions } from '../commands/import-helicone.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';

export function addImportCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('import')
    .description('import requests from files of JSON lines, as an export writes them, or from another service; a second time adds nothing')
    .argument('[file...]', 'files with one request a line, plain or compressed with gzip or zstd; "-" is standard input')
    .option('--dry-run', 'check the requests, say what would happen, and store nothing')
    .option('--json', 'write the outcome as JSON')
    .addOption(
      new Option('--from <service>', 'bring the history of another service, with a comparison of both sides at the end').choices([
        'helicone',
      ]),
    )
    .option(
      '--url <address>',
      'with --from: the address of its API; GATELOG_IMPORT_KEY holds its key. Without it the files are those of its export tool',
    )
    .option('--since <time>', 'with --url: only requests from then on; a date or a time, UTC')
    .option('--until <time>', 'with --url: only requests before then (default: a minute ago)')
    .option('--calls-per-second <number>', 'with --url: calls to that API, at most', positiveNumber, 3)
    .option('--page-size <count>', 'with --from: requests of one page, 1 to 1000', pageSizeOption, 500)
    .option(
      '--state <file>',
      'with --from: where a run that is broken off goes on, and what it has counted',
      'gatelog-import-helicone.json',
    )
    .option('--restart', 'with --from: start again, whatever the state says')
    .action(async (files: readonly string[], options: ImportOptions & ImportHeliconeOptions & { readonly from?: 'helicone' }) => {
      if (options.from === 'helicone') {
        await (await import('../commands/import-helicone.ts')).importFromHelicone(dependencies, files, options);
        return;
      }
      if (options.url !== undefined || options.since !== undefined || options.until !== undefined) {
        throw new CommandError('--url, --since and --until go with --from helicone.');
      }
      if (files.length === 0) throw new CommandError('Name the files to import; "-" is standard input.');
      await (await import('../commands/import.ts')).importFiles(dependencies, files, options);
    });
}

function positiveNumber(text: string): number {
  const number = Number(text);
  if (!(number > 0) || number > 1000) throw new InvalidArgumentError('Write a number above 0, at most 1000.');
  return number;
}

function pageSizeOption(text: string): number {
  const size = Number(text);
  if (!Number.isInteger(size) || size < 1 || size > 1000) throw new InvalidArgumentError('Write a whole number from 1 to 1000.');
  return size;
}
