import { messageOf } from '../model/errors.ts';
import { type EnvironmentFile, readEnvironmentFile } from './environment-file.ts';
import type { Fault } from './fault.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import { readSecretFile, secretFileOf, secretOfFile } from './secret-files.ts';
import type { Machine } from './variable.ts';
import { clientVariables } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of a start, from wherever they were written. */
export interface GivenVariables {
  /** The environment, with what the file `.env` adds to it, and secrets in place of the names of their files. */
  readonly values: Environment;
  /** Where a variable was written that the environment has not: `.env:3`, or the file of a secret. */
  readonly places: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

/**
 * Reads `.env` and the files of secrets once, so that all processes of a start have the same settings. The environment wins over `.env`, for
 * a secret also by the other one of its two names. The file's settings of the command line as a client are not among them.
 * @param file undefined: none is read.
 */
export function readVariables(environment: Environment, file: string | undefined): GivenVariables {
  const values: Record<string, string | undefined> = { ...environment };
  const places = new Map<string, string>();
  const faults: Fault[] = [];
  if (file !== undefined) addFile({ values, places, faults }, environment, file);
  for (const name of Object.keys(values)) addSecret({ values, places, faults }, name);
  return { values, places, faults };
}

/** The configuration; faults of the files and of all values come together, each with its place. */
export function loadGiven({ values, places, faults }: GivenVariables, machine?: Machine): LoadedConfig {
  const loaded = loadConfig(values, machine);
  const all = [...faults, ...('faults' in loaded ? loaded.faults : [])];
  if (all.length === 0) return loaded;
  return { faults: all.map((fault) => ({ ...fault, place: fault.place ?? places.get(fault.variable) })) };
}

interface Given {
  readonly values: Record<string, string | undefined>;
  readonly places: Map<string, string>;
  readonly faults: Fault[];
}

function addFile({ values, places, faults }: Given, environment: Environment, file: string): void {
  let found: EnvironmentFile | undefined;
  try {
    found = readEnvironmentFile(file);
  } catch (error) {
    faults.push({ variable: file, problem: `cannot be read (${messageOf(error)})`, remedy: 'repair it, or remove it' });
  }
  if (found === undefined) return;
  const { unread, lineOf } = found;
  for (const { variable, line } of unread) {
    faults.push({
      place: `${file}:${line}`,
      variable,
      problem: 'is not set by this line',
      remedy: `write ${variable}=<value>, below lines that have a = or begin with #`,
    });
  }
  for (const [name, value] of Object.entries(found.values)) {
    // TRICKY: Node takes a line without = and the next one together for a name; the lines are in `unread`.
    const isOther = !/^GATELOG_\w+$/.test(name) || clientVariables.has(name);
    if (isOther || namesOf(name).some((one) => environment[one] !== undefined)) continue;
    values[name] = value;
    places.set(name, `${file}:${lineOf(name)}`);
  }
}

/** A variable, and the other one that gives the same secret. */
function namesOf(name: string): readonly string[] {
  return [name, secretOfFile(name) ?? secretFileOf(name)].filter((one) => one !== undefined);
}

/** Puts the secret in place of the name of its file. */
function addSecret({ values, places, faults }: Given, variable: string): void {
  const secret = secretOfFile(variable);
  const file = values[variable];
  if (secret === undefined || file === undefined) return;
  values[variable] = undefined;
  if (file === '') return;
  if ((values[secret] ?? '') !== '') {
    faults.push({ variable, problem: `is set beside ${secret}`, remedy: 'set one of the two' });
    return;
  }
  const read = readSecretFile(file);
  if ('problem' in read) {
    faults.push({ variable, problem: `names ${file}, ${read.problem}`, remedy: 'write the path of a file that holds the secret alone' });
    return;
  }
  values[secret] = read.value;
  places.set(secret, file);
}
