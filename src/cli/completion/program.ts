import { Argument, type Command } from 'commander';
import { type Shell, shells } from './shells.ts';
import type { CommandDependencies } from '../base/dependencies.ts';

export function addCompletionCommand(program: Command, dependencies: CommandDependencies): void {
  program
    .command('completion')
    .description('print a script by which a shell completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', examples)
    .action(async (shell: Shell) => (await import('./completion.ts')).printCompletion(dependencies, program, shell));
}

const examples = `
In the start file of the shell:
  ~/.bashrc                    source <(gatelog completion bash)
  ~/.zshrc, behind compinit    source <(gatelog completion zsh)
  ~/.config/fish/config.fish   gatelog completion fish | source`;
