import { parseEnv } from 'node:util';
import { CommandError } from '../base/dependencies.ts';

export type Variables = Readonly<Record<string, string>>;

/**
 * The text of a file `.env` in which these variables have these values, and all other lines are as they were. @throws CommandError when the
 * text cannot say so, as where a value of several lines stands in it.
 */
export function withVariables(text: string, variables: Variables): string {
  const before = parseEnv(text);
  const left = new Map(Object.entries(variables));
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const kept = lines.flatMap((line) => {
    const name = nameIn(line);
    const value = variables[name];
    if (value === undefined) return [line];
    // Of a variable that stands there twice the last line holds.
    return left.delete(name) ? [lineOf(name, value)] : [];
  });
  const added = [...left].map(([name, value]) => lineOf(name, value));
  const result = [...kept, ...added, ''].join(eol);
  requireSame(parseEnv(result), { ...before, ...variables });
  return result;
}

/** The variable that a line sets; '' for any other line. */
function nameIn(line: string): string {
  return /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '';
}

const quotes = ["'", '"', '`'];

/** TRICKY: between double quotes `\n` is a line break, so that a text with a backslash takes other ones. */
function lineOf(name: string, value: string): string {
  if (/^[\w./:@~+,=-]*$/.test(value)) return `${name}=${value}`;
  const quote = quotes.find((each) => !value.includes(each) && !(each === '"' && value.includes('\\')));
  if (quote === undefined || /[\r\n]/.test(value)) throw new CommandError(`The value of ${name} cannot be written into a file .env.`);
  return `${name}=${quote}${value}${quote}`;
}

function requireSame(found: Readonly<Record<string, string | undefined>>, wanted: Readonly<Record<string, string | undefined>>): void {
  const wrong = [...new Set([...Object.keys(found), ...Object.keys(wanted)])].filter((name) => found[name] !== wanted[name]);
  if (wrong.length === 0) return;
  throw new CommandError(
    `The file .env cannot be changed without changing ${wrong.join(', ')} in it, perhaps for a value of several lines. Set these variables by hand.`,
  );
}
