import { confirm, multiselect, password, text } from '@clack/prompts';
import { CommandError } from '../base/dependencies.ts';

/** Says what is wrong with an answer; undefined: nothing. */
type Check = (answer: string) => string | undefined;

interface TextQuestion {
  readonly message: string;
  /** The answer of who presses Enter. */
  readonly default: string;
  readonly check?: Check;
}

/** Asks for a text on the terminal. @throws CommandError when the person leaves. */
export async function askText({ message, default: standard, check }: TextQuestion): Promise<string> {
  const validate = (answer: string | undefined): string | undefined => check?.(answer === undefined || answer === '' ? standard : answer);
  return answered<string>(await text({ message, placeholder: standard, defaultValue: standard, validate }));
}

/** The answer is not shown. */
export async function askSecret(message: string): Promise<string> {
  return answered<string>(await password({ message, mask: '*', validate: emptyFault })).trim();
}

function emptyFault(answer: string | undefined): string | undefined {
  return answer === undefined || answer.trim() === '' ? 'Paste the key, or press Ctrl-C.' : undefined;
}

export async function askWhether(message: string): Promise<boolean> {
  return answered<boolean>(await confirm({ message }));
}

const shownAtOnce = 8;

/** @returns some of them, or none. */
export async function askWhich<Name extends string>(message: string, names: readonly Name[]): Promise<readonly Name[]> {
  const options = names.map((value: string) => ({ value }));
  const chosen = answered<readonly string[]>(await multiselect({ message, options, required: false, maxItems: shownAtOnce }));
  return names.filter((name) => chosen.includes(name));
}

/** An answer; clack gives a symbol of who leaves. */
function answered<T extends string | boolean | readonly string[]>(answer: T | symbol): T {
  if (typeof answer !== 'symbol') return answer;
  throw new CommandError('Left before the end; nothing was written.');
}
