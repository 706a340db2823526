import type { Command } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';

/** The command that serves models on standard input and output. */
export function addMcpCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('mcp')
    .description('tools for models over the Model Context Protocol, on standard input and output; a key that may read is enough')
    .addHelpText('after', examples)
    .action(async () => (await import('../mcp/serve.ts')).serveMcp(dependencies));
}

const examples = `
Programs start it, such as Claude Code, where "gatelog" is on the path:
  claude mcp add gatelog --env GATELOG_API_URL=http://127.0.0.1:8788 --env GATELOG_API_KEY=KEY -- gatelog mcp
Elsewhere the service answers the same protocol at /mcp of its API, with the key as "Authorization: Bearer KEY".
The command reads GATELOG_API_URL and GATELOG_API_KEY; addresses in answers begin with GATELOG_PUBLIC_API_URL, where that is set.`;
