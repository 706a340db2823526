import type { Command } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { DemoCommandOptions } from '../demo/run.ts';
import { wholeNumber } from './options.ts';

/** A service that shows what there is to see, apart from any other. */
export function addDemoCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('demo')
    .description('a service of its own with two weeks of requests of four apps, to look at until Ctrl-C')
    .option('--requests <count>', 'requests, about', wholeNumber(1_000_000, 100), 15_000)
    .option('--seed <number>', 'another seed makes other requests', wholeNumber(4_294_967_295), 1)
    .option(
      '--port <port>',
      'port of the gateway, and the next one for the API, in place of GATELOG_GATEWAY_PORT and GATELOG_API_PORT',
      wholeNumber(65_534, 1),
    )
    .option('--once', 'fill the service, say where it is, and end')
    .action(async (options: DemoCommandOptions) => (await import('../demo/run.ts')).runDemo(dependencies, options));
}
