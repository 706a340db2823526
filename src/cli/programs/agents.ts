import { type Command, Option } from 'commander';
import type { ListOptions } from '../agents/list.ts';
import type { SetUpOptions } from '../agents/set-up.ts';
import type { UndoOptions } from '../agents/undo.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { collected } from './options.ts';

/** Commands on the settings of coding agents on this machine; they ask no service. */
export function addAgentCommands(program: Command, dependencies: CommandDependencies): void {
  const agents = program
    .command('agents')
    .description('coding agents of this machine, such as claude-code and codex: lead them through the gateway')
    .helpCommand(false);
  agents
    .command('list')
    .description('show which agents are here, and which lead through a gateway')
    .option('--json', 'write an object a line')
    .action(async (options: ListOptions) => (await import('../agents/list.ts')).listAgents(dependencies, options));
  agents
    .command('setup')
    .description('print the settings that lead an agent through the gateway, or write them')
    .argument('<agent>', 'claude-code, codex, opencode, gemini, qwen, kilo, cline, continue or pi')
    .option('--write', 'write them into its files, which only you can read then')
    .option('--gateway <address>', 'the gateway (default: GATELOG_PUBLIC_GATEWAY_URL, else the one of this machine)')
    .option('--user <name>', 'who the calls are of (default: your name on this machine)')
    .option('--property <name=value>', 'a property of the calls, such as Repository=harbour; may be repeated', collected)
    .addOption(new Option('--model <model>', 'of qwen, cline and continue, which have to be told one').default('gpt-5-mini'))
    .option('--key-stdin', 'read the key from standard input (default: GATELOG_API_KEY)')
    .option('--show-key', 'print the whole key')
    .action(async (agent: string, options: SetUpOptions) => (await import('../agents/set-up.ts')).setUpAgent(dependencies, agent, options));
  agents
    .command('undo')
    .description('make the files of an agent what they were before "setup --write", to the byte')
    .argument('<agent>', 'the agent')
    .option('--keep-changes', 'where a file was changed since, take out our settings alone')
    .action(async (agent: string, options: UndoOptions) => (await import('../agents/undo.ts')).undoAgent(dependencies, agent, options));
}
