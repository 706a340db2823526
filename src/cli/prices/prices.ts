import { readFileSync } from 'node:fs';
import path from 'node:path';
import { printable, textTable } from '../../config/text-table.ts';
import {
  type OperatorPriceItem,
  operatorPricesAnswerSchema,
  type PriceImportAnswer,
  priceImportAnswerSchema,
} from '../../contract/operator.ts';
import { messageOf } from '../../model/errors.ts';
import { parseJson } from '../../model/text.ts';
import { type CommandContext, CommandError } from '../base/dependencies.ts';
import { operatorClient } from '../base/operator-client.ts';
import { jsonText } from '../base/json.ts';

export interface PricesImportOptions {
  readonly apply?: true;
  readonly replace?: true;
  readonly zeroIsFree?: true;
  readonly source?: string;
  readonly json?: true;
}

type Rates = OperatorPriceItem['rates'];

const shownChanges = 40;

/** `gatelog prices import`: shows what a list would change, and with `--apply` changes it. @param file `-` for standard input. */
export async function importPrices(context: CommandContext, file: string, options: PricesImportOptions): Promise<void> {
  const { apply, replace = false, zeroIsFree = false, source = file === '-' ? 'standard input' : path.basename(file), json } = options;
  const body = { list: readList(file), source, zero_is_free: zeroIsFree, replace, dry_run: apply !== true };
  const done = await operatorClient(context).ask({ method: 'POST', path: '/prices/import', body }, priceImportAnswerSchema);
  if (json === true) {
    context.print(jsonText(done, 2));
    return;
  }
  if (done.changes.length > 0) context.print(changesText(done.changes));
  for (const line of countsText(done)) context.print(line);
  if (done.changes.length === 0) return;
  if (apply === true) {
    context.hint('They hold within five seconds. "gatelog reprice --all --filter all" applies them to what is on record.');
  } else context.hint('Nothing was changed. The same with --apply takes them over.');
}

function readList(file: string): unknown {
  const text = textOf(file);
  const list = parseJson(text);
  if (list === undefined) throw new CommandError(`${file === '-' ? 'Standard input' : file} is not valid JSON.`);
  return list;
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}.`);
  }
}

function changesText(changes: PriceImportAnswer['changes']): string {
  const rows = changes
    .slice(0, shownChanges)
    .map((change) => [...cellsOf(change), change.before === null ? 'no price' : ratesText(change.before), ratesText(change.rates)]);
  const more = changes.length > shownChanges ? [`… and ${changes.length - shownChanges} more; --json shows all`] : [];
  return [textTable([['MODEL', 'PROVIDER', 'FROM', 'NOW', 'THEN'], ...rows]), ...more].join('\n');
}

function cellsOf({ model, provider, valid_from: validFrom }: OperatorPriceItem): readonly string[] {
  return [model, provider ?? 'any', validFrom ?? 'always'];
}

/** The first kinds say what a model costs; `--json` has the others. */
function ratesText(rates: Rates): string {
  const kinds = ['input', 'cache_read', 'cache_write', 'output'].flatMap((kind) =>
    rates[kind] === undefined ? [] : [`${kind} ${rates[kind]}`],
  );
  return kinds.length === 0
    ? Object.entries(rates)
        .map(([kind, usd]) => `${kind} ${usd}`)
        .join(', ')
    : kinds.join(', ');
}

function countsText({ changes, same, left_out: { zero, provider, unit }, total }: PriceImportAnswer): readonly string[] {
  const counts: readonly (readonly [number, string])[] = [
    [changes.filter(({ before }) => before === null).length, 'models that have no price now'],
    [changes.filter(({ before }) => before !== null).length, 'prices that change'],
    [same, 'prices that hold already and are not taken over'],
    [zero, 'listed as 0, which is no price; --zero-is-free takes it as one'],
    [provider, 'of providers that Gatelog does not know'],
    [unit, 'billed by something else than tokens, or by the hour of the day'],
    [total, 'imported prices in all'],
  ];
  return counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
}

/** `gatelog prices list`: what was imported. */
export async function listPrices(context: CommandContext, { json }: { readonly json?: true }): Promise<void> {
  const items = await operatorClient(context).ask({ method: 'GET', path: '/prices' }, operatorPricesAnswerSchema);
  if (json === true) context.print(jsonText(items, 2));
  else if (items.length > 0) {
    const rows = items.map((item) => [...cellsOf(item), ratesText(item.rates), printable(item.source)]);
    context.print(textTable([['MODEL', 'PROVIDER', 'FROM', 'PRICE', 'SOURCE'], ...rows]));
  }
  if (items.length === 0) context.hint('No prices were imported: those of GATELOG_PRICES_FILE, corrections and the public list hold.');
}
