import type { Command } from 'commander';
import type { CommandContext } from '../base/dependencies.ts';
import type { StoreCopyOptions } from '../commands/store-copy.ts';
import type { StoreCheckOptions } from '../commands/store.ts';
import { secretValue } from '../base/standard-input.ts';
import { wholeNumber } from './options.ts';

export function addStoreCommands(program: Command, contextOf: () => CommandContext): void {
  const store = program.command('store').description('the files of the store; the service must run').helpCommand(false);
  store
    .command('check')
    .description('read every file and show damaged parts; exit code 1 when there are any')
    .option(
      '--url <address>',
      'try ClickHouse servers instead, in a database that is removed again; - reads the address from standard input',
    )
    .option('--json', 'write the parts, or what was tried, as JSON')
    .action(async (options: StoreCheckOptions & { readonly url?: string }) => {
      const { url } = options;
      if (url === undefined) await (await import('../commands/store.ts')).checkStore(contextOf(), options);
      else await (await import('../commands/store-servers.ts')).checkServersAt(contextOf(), await secretValue(url), options);
    });
  store
    .command('copy')
    .description('copy all records to ClickHouse servers, or back, while the service runs')
    .option(
      '--to <where>',
      'the address of the servers, as GATELOG_CLICKHOUSE_URL has it (- reads it from standard input), or embedded: the data folder',
    )
    .option('--switch', 'the records are there from then on; changes wait while the last differences are copied')
    .option('--hold <seconds>', 'changes wait so long at most', wholeNumber(600, 1), 60)
    .option('--stop', 'stop the copy that runs')
    .action(async (options: StoreCopyOptions) => (await import('../commands/store-copy.ts')).copyStore(contextOf(), options));
  store
    .command('set-aside')
    .description('take a damaged part out of the store, so that the rest is readable; its files are kept')
    .argument('<part>', 'the part, as "store check" shows it: requests/202601_1_9_2')
    .action(async (part: string) => (await import('../commands/store.ts')).setPartAside(contextOf(), part));
}
