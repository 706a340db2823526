import { addressedProviders } from '../model/providers/providers.ts';
import { kinds } from './kinds.ts';
import type { GivenVariables } from './given.ts';
import type { Config } from './load.ts';
import { thisMachine } from './machine.ts';
import { secretFilesText } from './secret-files.ts';
import { withoutServiceLinks } from './service-links.ts';
import { printable, textTable } from './text-table.ts';
import type { Machine, Variable } from './variable.ts';
import { defaultText, settingRows } from './variables.ts';

interface Printing {
  readonly machine?: Machine;
  /** Width of the terminal; undefined prints a table with one line per setting, for programs. */
  readonly columns?: number | undefined;
  /** What the configuration was read from. */
  readonly given: Pick<GivenVariables, 'values' | 'places'>;
}

/**
 * All settings by name: value, default, where the value comes from, reason. A secret is shown as `set` or `not set`. @returns lines without a
 * final line break.
 */
export function printConfig(config: Config, { machine = thisMachine(), columns, given }: Printing): string {
  const settings = settingRows.map(([key, variable]) => [
    variable.name,
    shown(variable, config[key]),
    shownDefault(variable, machine),
    variable.reason,
  ]);
  const rows = [...settings, ...providerRows(config)]
    .map(([name = '', value = '', standard = '', reason = '']) => [name, value, standard, sourceOf(name, given), reason])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
  if (columns === undefined) return textTable([['SETTING', 'VALUE', 'DEFAULT', 'FROM', 'WHAT IT IS FOR'], ...rows]);
  return rows.map((row) => paragraph(row, Math.max(minColumns, columns))).join('\n');
}

/** Where the value of a setting was written; `-` where it has none or its default. */
function sourceOf(name: string, { values, places }: Printing['given']): string {
  if ((withoutServiceLinks(values)[name] ?? '') === '') return '-';
  return places.get(name) ?? 'environment';
}

const minColumns = 40;
const indent = '    ';

function paragraph([name = '', value = '', standard = '', source = '', reason = '']: readonly string[], columns: number): string {
  const notes = [
    ...(value === standard || standard === '-' ? [] : [`default ${standard}`]),
    ...(source === '-' ? [] : [source === 'environment' ? 'from the environment' : `from ${source}`]),
  ];
  const head = `${name} = ${value}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  return [head, ...wrapped(reason, columns - indent.length).map((line) => indent + line)].map(printable).join('\n');
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Settings that stand for many: two of every provider, and files of secrets; then those of providers that are set. */
function providerRows(config: Config): readonly string[][] {
  const names = addressedProviders.map((name) => name.toUpperCase()).join(', ');
  const pattern = [
    ['GATELOG_PROVIDER_<NAME>_URL', '-', '-', `Base address of a provider instead of its own; <NAME> is one of ${names}.`],
    ['GATELOG_PROVIDER_<NAME>_KEY', '-', '-', "The deployment's own key for a provider, with which callers need a Gatelog key alone."],
    ['GATELOG_<SECRET>_FILE', '-', '-', secretFilesText],
  ];
  return [...pattern, ...setProviderRows(config)];
}

function setProviderRows(config: Config): readonly string[][] {
  return Object.entries(config.providers).flatMap(([name, { baseUrl, key }]) => {
    const prefix = `GATELOG_PROVIDER_${name.toUpperCase()}`;
    return [
      [`${prefix}_URL`, baseUrl ?? 'not set', '-', `Base address of ${name} instead of its own.`],
      [`${prefix}_KEY`, key === undefined ? 'not set' : 'set', '-', `The deployment's own key for ${name}.`],
    ];
  });
}

function shown(variable: Variable, value: unknown): string {
  if (value === undefined) return 'not set';
  if (variable.secret === true) return 'set';
  // TRICKY: a row's kind and its value's type belong together by construction of Settings, which the compiler cannot follow here.
  const show = kinds[variable.kind].show as (value: unknown) => string;
  return show(value) || 'none';
}

function shownDefault(variable: Variable, machine: Machine): string {
  const text = defaultText(variable, machine);
  return text === undefined ? '-' : text || 'none';
}
