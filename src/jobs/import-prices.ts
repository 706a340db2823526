import type { MetadataDatabase } from '../metadata/database.ts';
import { replaceImportedPrices } from '../metadata/operator-prices.ts';
import { keyOfLine, type LineRates, type PriceLine } from '../model/pricing/price-line.ts';
import { usdOf } from '../model/pricing/money.ts';
import { rateKinds } from '../model/vocabulary/prices.ts';
import { bookOfLines } from '../pricing/layers/line-book.ts';
import { listLimits } from '../pricing/lists/list-options.ts';
import { Slices } from '../platform/bounds/slices.ts';
import { readPriceList } from '../pricing/lists/read-list.ts';
import { type Price, rateFor } from '../pricing/tables/price.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { HeldImport } from '../pricing/held/imported-prices.ts';
import { listedProviderOf } from '../providers/registry.ts';

export interface PriceImportOrder {
  readonly list: unknown;
  /** Where the list comes from. */
  readonly source: string;
  readonly zeroIsFree: boolean;
  /** Imported prices that the list lacks go. */
  readonly replace: boolean;
  /** Changes nothing. */
  readonly isTrial: boolean;
}

export interface PriceImport {
  /** `before`: rates that hold now, US dollars for a million; undefined without any. */
  readonly changes: readonly { readonly line: PriceLine; readonly before: LineRates | undefined }[];
  readonly same: number;
  readonly leftOut: { readonly zero: number; readonly provider: number; readonly unit: number };
  readonly total: number;
}

export interface OperatorPricePorts {
  readonly list: () => readonly PriceLine[];
  /** @returns the place in the list at which it cannot be read. */
  readonly import: (
    order: PriceImportOrder,
  ) => Promise<PriceImport | { readonly fault: { readonly path: string; readonly problem: string } }>;
}

export interface PriceImportParts {
  readonly database: MetadataDatabase;
  /** The list prices that hold now. */
  readonly book: PriceBook;
  readonly imported: HeldImport;
  readonly now: () => number;
}

/** Takes from a list what differs from the prices that hold, so that later corrections of ours reach the rest. */
export function makePriceImport(parts: PriceImportParts): OperatorPricePorts {
  /** Each adds to what the one before has stored. */
  let latest: Promise<unknown> = Promise.resolve();
  return {
    list: () => parts.imported.current().lines,
    import: (order) => {
      const done = latest.then(() => importList(parts, order));
      latest = done.catch(() => undefined);
      return done;
    },
  };
}

async function importList(
  { database, book, imported, now }: PriceImportParts,
  { list, source, zeroIsFree, replace, isTrial }: PriceImportOrder,
): ReturnType<OperatorPricePorts['import']> {
  const day = new Date(now()).toISOString().slice(0, 10);
  const read = readPriceList(list, { source: `${source}, imported ${day}`, zeroIsFree, providerIdOf: listedProviderOf });
  if ('fault' in read) return read;
  const taken = await differing(read.lines, replace, (line) => priceBefore(book, line, now()));
  const kept = replace ? [] : imported.current().lines;
  const keys = new Set(taken.map(({ line }) => keyOfLine(line)));
  const lines = [...kept.filter((line) => !keys.has(keyOfLine(line))), ...onceEach(taken.map(({ line }) => line))];
  if (lines.length > listLimits.prices) {
    return { fault: { path: '', problem: `makes ${lines.length} imported prices in all; at most ${listLimits.prices} are kept` } };
  }
  if (!isTrial) {
    await replaceImportedPrices(database, lines, now());
    imported.forget();
  }
  return {
    changes: taken.map(({ line, before }) => ({ line, before: before === undefined ? undefined : ratesOf(before) })),
    same: read.lines.length - taken.length,
    leftOut: read.leftOut,
    total: lines.length,
  };
}

interface Taken {
  readonly line: PriceLine;
  readonly before: Price | undefined;
}

async function differing(
  lines: readonly PriceLine[],
  isReplaced: boolean,
  beforeOf: (line: PriceLine) => Price | undefined,
): Promise<readonly Taken[]> {
  const slices = new Slices();
  const taken: Taken[] = [];
  for (const line of lines) {
    await slices.turn();
    const before = beforeOf(line);
    if (isReplaced || before === undefined || !isSame(before, line)) taken.push({ line, before });
  }
  return taken;
}

function onceEach(lines: readonly PriceLine[]): readonly PriceLine[] {
  return [...new Map(lines.map((line) => [keyOfLine(line), line])).values()];
}

/** The price that holds at the time from which a line is to hold. */
function priceBefore(book: PriceBook, { provider, model, validFrom }: PriceLine, now: number): Price | undefined {
  const name = model.endsWith('*') ? model.slice(0, -1) : model;
  return book.find(provider ?? undefined, name, validFrom === null ? now : Math.max(Date.parse(validFrom), 0));
}

/** Whether a price has every rate of a line, at every step of either; a line without steps says nothing of them. */
function isSame(price: Price, line: PriceLine): boolean {
  const own = bookOfLines('prices-file', [{ ...line, model: 'x', validFrom: null }]).find(line.provider ?? undefined, 'x', 0);
  if (own === undefined) return false;
  const stepped = line.above === undefined ? [] : [...price.rates.values(), ...own.rates.values()];
  const steps = stepped.flatMap((rate) => rate.steps.map(({ aboveInputTokens }) => aboveInputTokens + 1));
  return rateKinds
    .filter((kind) => line.rates[kind] !== undefined)
    .every((kind) => {
      const [theirs, ours] = [own.rates.get(kind), price.rates.get(kind)];
      return (
        theirs !== undefined && ours !== undefined && [0, ...steps].every((tokens) => rateFor(theirs, tokens) === rateFor(ours, tokens))
      );
    });
}

function ratesOf({ rates }: Price): LineRates {
  return Object.fromEntries(Array.from(rates, ([kind, { perMillion }]) => [kind, usdOf(perMillion)]));
}
