import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** A file of variables, such as `.env`. */
export interface EnvironmentFile {
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The line of a variable, from 1 on. */
  readonly lineOf: (variable: string) => number;
  /** Lines that begin with the name of a setting and set nothing, such as `GATELOG_HOST: 0.0.0.0`. */
  readonly unread: readonly { readonly variable: string; readonly line: number }[];
}

const maxBytes = 1024 * 1024;
const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)/;

/**
 * @returns undefined where there is no file; a folder counts as none.
 * @throws Error, whose message says why the file cannot be read.
 */
export function readEnvironmentFile(file: string): EnvironmentFile | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  if (found.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
  const text = readFileSync(file, 'utf8');
  const values = parseEnv(text);
  const names = text.split('\n').map((line) => assignment.exec(line)?.[1]);
  return {
    values,
    // The last one counts.
    lineOf: (variable) => names.lastIndexOf(variable) + 1,
    unread: names.flatMap((variable, index) =>
      variable?.startsWith('GATELOG_') === true && !(variable in values) ? [{ variable, line: index + 1 }] : [],
    ),
  };
}
