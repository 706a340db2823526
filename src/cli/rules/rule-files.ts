import { readFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, visit } from 'yaml';
import { printable } from '../../config/text-table.ts';
import { type CommandDependencies, UsageError } from '../base/dependencies.ts';

const maxFileBytes = 4 * 1024 * 1024;
const maxAliases = 100;
const maxFaults = 50;
const lists = ['webhooks', 'alerts'] as const;
type ListName = (typeof lists)[number];

/** A rule file: what it says, and where. */
interface RuleFile {
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** What several files say together. */
export interface RuleFiles {
  readonly set: { readonly webhooks: readonly object[]; readonly alerts: readonly object[] };
  /** `file:line:column` of a value in the set, or of what holds it, by its keys. */
  readonly placeOf: (keys: readonly (string | number)[]) => string;
}

/** Reads rule files; `-` is standard input. @throws UsageError with every fault that can be seen without the service, each with its place. */
export function readRuleFiles(names: readonly string[], { environment }: Pick<CommandDependencies, 'environment'>): RuleFiles {
  const files = names.map(readRuleFile);
  const faults = files.flatMap((file) => [...shapeFaults(file), ...filledIn(file, environment)]);
  if (faults.length > 0) throw faultsError(faults);
  const origins: Record<ListName, { readonly file: RuleFile; readonly index: number }[]> = { webhooks: [], alerts: [] };
  const set: Record<ListName, object[]> = { webhooks: [], alerts: [] };
  for (const file of files) {
    const said = valueOf(file);
    for (const list of lists) {
      for (const [index, item] of (said[list] ?? []).entries()) {
        set[list].push(item);
        origins[list].push({ file, index });
      }
    }
  }
  return {
    set,
    placeOf: ([list, at, ...rest]) => {
      const origin = (list === 'webhooks' || list === 'alerts') && typeof at === 'number' ? origins[list][at] : undefined;
      return origin === undefined ? names.map(shownName).join(', ') : placeIn(origin.file, [list ?? '', origin.index, ...rest]);
    },
  };
}

function valueOf({ name, document }: RuleFile): Partial<Record<ListName, readonly object[] | null>> {
  try {
    const said: unknown = document.toJS({ maxAliasCount: maxAliases }) ?? {};
    // It fails for a value that holds itself.
    JSON.stringify(said);
    return said as Partial<Record<ListName, readonly object[] | null>>;
  } catch {
    throw new UsageError(
      `${shownName(name)} uses its anchors (&name, *name) more than ${maxAliases} times, or within themselves; write the values out.`,
    );
  }
}

/** One sentence of all faults, each in a line of its own. */
export function faultsError(faults: readonly string[]): UsageError {
  const [first = ''] = faults;
  const more = faults.length - maxFaults;
  if (more > 0) return faultsError([...faults.slice(0, maxFaults - 1), `… and ${more + 1} more.`]);
  return new UsageError(
    faults.length === 1 ? first : `${faults.length} faults, so nothing was changed:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
  );
}

function shownName(name: string): string {
  return name === '-' ? 'standard input' : printable(name);
}

function readRuleFile(name: string): RuleFile {
  let text: string;
  try {
    text = readFileSync(name === '-' ? 0 : name, 'utf8');
    const bytes = Buffer.byteLength(text);
    if (bytes > maxFileBytes) {
      throw new UsageError(
        `${shownName(name)} has ${bytes} bytes; a rule file has at most ${maxFileBytes}. Split it, and give each with -f.`,
      );
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shownName(name)} cannot be read: ${error instanceof Error ? printable(error.message) : String(error)}`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: true });
  const file = { name, document, lines };
  const faults = document.errors.map(
    ({ pos: [offset], message }) => `${placeAt(file, offset)}: ${printable(message.split('\n', 1)[0] ?? '')}`,
  );
  if (faults.length > 0) throw faultsError(faults);
  return file;
}

function shapeFaults(file: RuleFile): readonly string[] {
  const { contents } = file.document;
  if (contents === null) return [`${shownName(file.name)} is empty; write lists named webhooks and alerts.`];
  if (!isMap(contents)) return [`${placeIn(file, [])}: a rule file is a map with lists named webhooks and alerts.`];
  return contents.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : '';
    if (name !== 'webhooks' && name !== 'alerts') {
      return [
        `${placeIn(file, isScalar(key) ? [name] : [])}: "${printable(name)}" is no list of a rule file; there are webhooks and alerts.`,
      ];
    }
    const isList = isSeq(value) || (isScalar(value) && value.value === null);
    return isList ? [] : [`${placeIn(file, [name])}: ${name} is a list; begin each of its entries with "- name:".`];
  });
}

/** Fields whose value may come from the environment, so that no secret stands in the file. */
const filledFields: ReadonlySet<unknown> = new Set(['destination', 'url', 'routingKey', 'secret', 'to']);

/** Puts values of the environment where the file names them. @returns faults. */
function filledIn(file: RuleFile, environment: CommandDependencies['environment']): readonly string[] {
  const faults: string[] = [];
  const fillIn = (text: unknown, field: string): void => {
    if (!isScalar(text) || typeof text.value !== 'string') return;
    const { anchor, range } = text;
    const place = placeAt(file, range?.[0] ?? 0);
    text.value = text.value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
      const given = environment[name];
      if (anchor !== undefined) {
        faults.push(`${place}: a value from the environment takes no anchor (&${anchor}); name the variable at each place.`);
      } else if (given === undefined || given === '') faults.push(`${place}: ${name} is not set in the environment; "${field}" needs it.`);
      else return given;
      return whole;
    });
  };
  visit(file.document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !filledFields.has(key.value)) return;
      for (const text of isSeq(value) ? value.items : [value]) fillIn(text, String(key.value));
    },
  });
  return faults;
}

/** The place of a value, or of the nearest that holds it. */
function placeIn(file: RuleFile, keys: readonly (string | number)[]): string {
  for (let count = keys.length; count >= 0; count -= 1) {
    const offset = offsetOf(file.document, keys.slice(0, count));
    if (offset !== undefined) return placeAt(file, offset);
  }
  return placeAt(file, 0);
}

/** Where a key begins, or an entry of a list. */
function offsetOf({ contents }: Document, keys: readonly (string | number)[]): number | undefined {
  let node: unknown = contents;
  let offset = (contents as { readonly range?: readonly number[] } | null)?.range?.[0];
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (pair === undefined) return undefined;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = typeof key === 'number' ? node.items[key] : undefined;
      if (item === undefined) return undefined;
      offset = (item as { readonly range?: readonly number[] }).range?.[0] ?? offset;
      node = item;
    } else return undefined;
  }
  return offset;
}

function placeAt({ name, lines }: RuleFile, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${shownName(name)}:${line}:${col}`;
}
