import type { LineRates, PriceLine } from '../../model/pricing/price-line.ts';
import { isJsonObject, type JsonObject, quoted } from '../../model/text.ts';
import { type RateKind, rateKinds } from '../../model/vocabulary/prices.ts';
import { type ListFault, listLimits, type ListOptions } from './list-options.ts';

/** Ends the reading at the first fault; never leaves this file. */
class Mismatch extends Error {
  readonly fault: ListFault;

  constructor(path: string, problem: string) {
    super(problem);
    this.fault = { path, problem };
  }
}

const maxName = 256;
const maxSource = 500;
const highestPrice = listLimits.usdPerMillion;

interface GatelogForm {
  readonly lines: readonly PriceLine[];
  readonly leftOut: { readonly provider: number; readonly unit: number };
}

/** Reads prices as `PUT /v1/prices` takes them, with `source`, `above` and `context_window`. Unknown members are faults. */
export function readGatelogForm(entries: readonly unknown[], options: ListOptions): GatelogForm | { readonly fault: ListFault } {
  try {
    const lines = entries.map((entry, index) => readEntry(entry, `[${index}]`, options));
    return { lines, leftOut: { provider: 0, unit: 0 } };
  } catch (error) {
    if (error instanceof Mismatch) return { fault: error.fault };
    throw error;
  }
}

function readEntry(entry: unknown, path: string, options: ListOptions): PriceLine {
  if (!isJsonObject(entry)) throw new Mismatch(path, 'is no object such as {"model": "gpt-4o", "input": 2.5, "output": 10}');
  const { model, provider, valid_from: validFrom, source, above, context_window: contextWindow, ...rates } = entry;
  const read = {
    model: readModel(model, `${path}.model`),
    provider: readProvider(provider, `${path}.provider`, options),
    validFrom: readDate(validFrom, `${path}.valid_from`),
    source: typeof source === 'string' && source !== '' ? source.slice(0, maxSource) : options.source,
    rates: readRates(rates, path),
    ...(above === undefined ? {} : { above: readSteps(above, `${path}.above`) }),
    ...(contextWindow === undefined ? {} : { contextWindow: readCount(contextWindow, `${path}.context_window`) }),
  };
  if (Object.keys(read.rates).length === 0) throw new Mismatch(path, 'has no price, such as "input": 2.5');
  return read;
}

function readModel(model: unknown, path: string): string {
  if (typeof model === 'string' && model !== '' && model.length <= maxName && !model.slice(0, -1).includes('*')) return model;
  throw new Mismatch(path, `is no name of 1 to ${maxName} characters; a * may stand at its end`);
}

function readProvider(provider: unknown, path: string, { providerIdOf }: ListOptions): string | null {
  if (provider === undefined || provider === null) return null;
  const id = typeof provider === 'string' ? providerIdOf(provider) : undefined;
  if (id !== undefined) return id;
  throw new Mismatch(path, 'is no provider whose prices can be listed; leave it out for whoever serves the model');
}

function readDate(date: unknown, path: string): string | null {
  if (date === undefined || date === null) return null;
  if (typeof date === 'string' && isDate(date)) return date;
  throw new Mismatch(path, 'is no date such as "2026-01-31"');
}

function readCount(count: unknown, path: string): number {
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Number(count);
  throw new Mismatch(path, 'is no whole number');
}

function readSteps(above: unknown, path: string): NonNullable<PriceLine['above']> {
  if (!Array.isArray(above)) throw new Mismatch(path, 'is no array of steps such as {"input_tokens": 272000, "input": 5}');
  if (above.length > listLimits.steps) throw new Mismatch(path, `has ${above.length} steps; at most ${listLimits.steps} are taken`);
  const steps = above.map((step: unknown, index) => {
    const { input_tokens: inputTokens, ...rates } = isJsonObject(step) ? step : {};
    return { inputTokens: readCount(inputTokens, `${path}[${index}].input_tokens`), rates: readRates(rates, `${path}[${index}]`) };
  });
  return steps.toSorted((one, other) => one.inputTokens - other.inputTokens);
}

function readRates(rates: JsonObject, path: string): LineRates {
  const read: Partial<Record<RateKind, number>> = {};
  for (const [name, usd] of Object.entries(rates)) {
    const kind = rateKinds.find((known) => known === name);
    if (kind === undefined) throw new Mismatch(`${path}.${name.slice(0, 100)}`, `is no price; the kinds are ${rateKinds.join(', ')}`);
    if (typeof usd !== 'number' || !(usd >= 0) || usd > highestPrice) {
      throw new Mismatch(
        `${path}.${name}`,
        `is no number of US dollars for a million, from 0 to ${highestPrice}: ${quoted(String(usd).slice(0, 40))}`,
      );
    }
    read[kind] = usd;
  }
  return read;
}

/** TRICKY: `Date.parse` reads 31 February as 3 March. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
