import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, parseJson } from '../../../src/model/text.ts';
import { type BookProviders, priceBookFrom } from '../../../src/pricing/price-book.ts';
import { usdOf } from '../../../src/model/pricing/money.ts';
import type { FetchedPackage } from './packages.ts';

/** US dollars for a million tokens. A kind that a source does not have, or has as 0, is missing. */
export interface ListedRates {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

/** What a package lists of a model; undefined: nothing. */
export type Lister = (provider: string, model: string) => ListedRates | undefined;

/** pi's files of providers, below `dist/providers/data`. */
export function listerOfPi({ folder }: FetchedPackage): Lister {
  const files = new Map<string, ReadonlyMap<string, unknown>>();
  const modelsOf = (provider: string): ReadonlyMap<string, unknown> => {
    const known = files.get(provider);
    if (known !== undefined) return known;
    const name = provider === 'aws' ? 'amazon-bedrock' : provider;
    const parsed = parseJson(readFileSync(path.join(folder, 'dist/providers/data', `${name}.json`), 'utf8'));
    const apis = isJsonObject(parsed) ? Object.values(parsed).filter(isJsonObject) : [];
    const models = new Map(
      apis.flatMap((api) => Object.values(api).filter(isJsonObject)).map((model) => [String(model['id']), model['cost']]),
    );
    files.set(provider, models);
    return models;
  };
  return (provider, model) => {
    const cost = modelsOf(provider).get(model);
    if (!isJsonObject(cost)) return undefined;
    return ratesOf({ input: cost['input'], output: cost['output'], read: cost['cacheRead'], write: cost['cacheWrite'] });
  };
}

/** The newest genai-prices, which may be another version than the project's. */
export async function listerOfGenAi({ folder }: FetchedPackage, at: number): Promise<Lister> {
  const library = (await import(pathToFileURL(path.join(folder, 'dist/index.js')).href)) as {
    readonly findProvider: (query: { readonly providerId: string }) => BookProviders[number] | undefined;
  };
  return (provider, model) => {
    const found = library.findProvider({ providerId: provider });
    const price = found === undefined ? undefined : priceBookFrom({ providers: [{ ...found }], source: '' }).find(provider, model, at);
    if (price === undefined) return undefined;
    const usd = (kind: 'input' | 'output' | 'cache_read' | 'cache_write'): number | undefined => {
      const rate = price.rates.get(kind);
      return rate === undefined ? undefined : usdOf(rate.perMillion);
    };
    return ratesOf({ input: usd('input'), output: usd('output'), read: usd('cache_read'), write: usd('cache_write') });
  };
}

/** Characters from a model's name to its prices. */
const withinCharacters = 1500;

/**
 * A catalog within a program's own text. Several providers list a model there, some at prices of their own: those that most of them have count.
 */
export function listerOfText({ folder }: FetchedPackage): Lister {
  const texts = filesIn(folder).map((file) => readFileSync(file, 'latin1'));
  return (_provider, model) => {
    const found = texts.flatMap((text) => pricesIn(text, model));
    const most = found.toSorted((one, other) => timesIn(found, other) - timesIn(found, one))[0];
    if (most === undefined) return undefined;
    const usd = (...names: readonly string[]): unknown =>
      names.map((name) => new RegExp(String.raw`\b${name}:([\d.e-]+)`).exec(most)?.[1]).find((digits) => digits !== undefined);
    return ratesOf({
      input: usd('input'),
      output: usd('output'),
      read: usd('cache_read', 'cacheRead'),
      write: usd('cache_write', 'cacheWrite'),
    });
  };
}

/** TRICKY: a model's prices stand behind its limits in one catalog, and those of its fast mode before them. */
const pricesShape = /(?:limit:\{[^}]*\}[^{}]{0,60}cost|pricing):\{([^}]*)/;

function pricesIn(text: string, model: string): readonly string[] {
  const found: string[] = [];
  for (let at = text.indexOf(`"${model}":{`); at !== -1; at = text.indexOf(`"${model}":{`, at + 1)) {
    const prices = pricesShape.exec(text.slice(at, at + withinCharacters))?.[1];
    if (prices !== undefined) found.push(prices);
  }
  return found;
}

function timesIn(all: readonly string[], one: string): number {
  return all.filter((each) => each === one).length;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith('.map'));
}

function ratesOf({ input, output, read, write }: Readonly<Record<'input' | 'output' | 'read' | 'write', unknown>>): ListedRates {
  const kinds = { input, output, cache_read: read, cache_write: write };
  return Object.fromEntries(Object.entries(kinds).flatMap(([kind, usd]) => (Number(usd) > 0 ? [[kind, Number(usd)]] : [])));
}
