import type { Command } from 'commander';
import type { CommandDependencies } from '../base/dependencies.ts';
import { bashScript } from './bash.ts';
import { completedCommands } from './describe.ts';
import { fishScript } from './fish.ts';
import type { Shell } from './shells.ts';
import { zshScript } from './zsh.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<Shell, unknown>;

/** `gatelog completion`: prints the script by which a shell completes commands, options and their values. */
export async function printCompletion({ print }: CommandDependencies, program: Command, shell: Shell): Promise<void> {
  print(scripts[shell](await completedCommands(program)).trimEnd());
}
