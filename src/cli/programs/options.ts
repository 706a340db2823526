import { type Command, InvalidArgumentError, Option } from 'commander';
import { timeHelp } from '../base/time-window.ts';

/** Values that a shell completes; `list`: several, separated by commas. */
export interface Suggested {
  readonly values: () => readonly string[] | Promise<readonly string[]>;
  readonly isList?: true;
}

const suggested = new WeakMap<Option, Suggested>();

export function suggestedOf(option: Option): Suggested | undefined {
  return suggested.get(option);
}

/** Tells the shells' completions values of an option that takes others too. */
export function suggesting(option: Option, values: Suggested): Option {
  suggested.set(option, values);
  return option;
}

const fields: Suggested = { values: async () => (await import('../filter/names.ts')).fieldNames };

/** Options that say which requests. */
export function withFilter(command: Command, conditions: Suggested = fields): Command {
  return command
    .addOption(
      suggesting(
        new Option(
          '--where <condition>',
          "only requests of which this holds, such as 'status>=400', model=gpt-4o or request_body~refund; may be repeated",
        ).argParser(collected),
        conditions,
      ),
    )
    .option('--property <name=value>', 'only requests with this property; may be repeated', collected)
    .option('--filter <json>', 'a filter as in a query of the API, or "all"');
}

/** Options of a half-open span of time. */
export function withWindow(command: Command): Command {
  return command
    .option('--since, --start-date <time>', `only requests from then on: ${timeHelp}`)
    .option('--until, --end-date <time>', 'only requests before then');
}

export function withTimezone(command: Command): Command {
  return command.option('--timezone <name>', 'time zone of days and hours, such as Europe/Berlin (default: UTC)');
}

export function collected(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** A whole number of an option. */
export function wholeNumber(max: number, min = 0): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text.trim()) || number < min || number > max) {
      throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}
