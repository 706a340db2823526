import type { Argument, Command, Option } from 'commander';
import { suggestedOf } from '../programs/options.ts';

/** What a shell completes behind one command. */
export interface CompletedCommand {
  /** `gatelog requests list`. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly Completed[];
  readonly options: readonly CompletedOption[];
  /** Values of its arguments. */
  readonly values: readonly string[];
}

interface Completed {
  readonly name: string;
  readonly description: string;
}

export interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
  /** Several values, separated by commas. */
  readonly isList: boolean;
}

/** Every command of a program, the program itself first. */
export async function completedCommands(program: Command, path: string = program.name()): Promise<readonly CompletedCommand[]> {
  const shown = program.commands.filter((command) => !isHidden(command));
  const options = await Promise.all(program.options.filter(({ hidden }) => !hidden).map(describedOption));
  const own: CompletedCommand = {
    path,
    description: firstClause(program.description()),
    commands: shown.map((command) => ({ name: command.name(), description: firstClause(command.description()) })),
    options: [...options, helpOption],
    values: program.registeredArguments.flatMap(choicesOf),
  };
  const below = await Promise.all(shown.map((command) => completedCommands(command, `${path} ${command.name()}`)));
  return [own, ...below.flat()];
}

/** Commands that other commands start. */
const innerCommands: ReadonlySet<string> = new Set(['gateway', 'core']);

function isHidden(command: Command): boolean {
  return command.parent?.parent === null && innerCommands.has(command.name());
}

const helpOption: CompletedOption = { flags: ['--help'], description: 'show the help', takesValue: false, values: [], isList: false };

async function describedOption(option: Option): Promise<CompletedOption> {
  const suggested = suggestedOf(option);
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: firstClause(option.description),
    takesValue: option.required || option.optional,
    values: [...new Set(option.argChoices ?? (await suggested?.values()) ?? [])],
    isList: suggested?.isList === true,
  };
}

function choicesOf({ argChoices }: Argument): readonly string[] {
  return argChoices ?? [];
}

/** Short enough for a line beside the word. */
function firstClause(text: string): string {
  return text.split(/[;:]\s/)[0] ?? '';
}
