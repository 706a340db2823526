import type { LineRates, PriceLine } from '../../model/pricing/price-line.ts';
import { isJsonObject, quoted } from '../../model/text.ts';
import { rateKinds } from '../../model/vocabulary/prices.ts';
import { readBookData } from '../book-data.ts';
import { linesOfBook } from './genai.ts';
import { linesOfLiteLlm } from './litellm.ts';
import { type ListFault, listLimits, type ListOptions } from './list-options.ts';
import { readGatelogForm } from './gatelog-form.ts';

/** Why entries of a list became no prices, with how many of them. */
export interface LeftOut {
  /** A price of 0, which lists write for what they do not know. */
  readonly zero: number;
  /** Of a provider that Gatelog does not know, or that no call can have. */
  readonly provider: number;
  /** Billed by something that no usage counts (pictures, pages), or at some hours only. */
  readonly unit: number;
}

export interface ReadList {
  readonly lines: readonly PriceLine[];
  readonly leftOut: LeftOut;
}

/**
 * Reads a price list in one of three forms: an array of prices as `PUT /v1/prices` takes them, with `source` and `above`; the array of
 * providers of genai-prices (`data.json`); the object of models of LiteLLM (`model_prices_and_context_window.json`).
 */
export function readPriceList(data: unknown, options: ListOptions): ReadList | { readonly fault: ListFault } {
  if (Array.isArray(data) && data.some((entry) => isJsonObject(entry) && 'models' in entry)) {
    const read = readBookData(data);
    return 'fault' in read ? read : bounded(withoutZeros(linesOfBook(read.providers, options), options));
  }
  if (Array.isArray(data)) {
    if (data.length > listLimits.prices) return tooMany(data.length);
    const read = readGatelogForm(data, options);
    return 'fault' in read ? read : withoutZeros(read, options);
  }
  if (isJsonObject(data)) return bounded(withoutZeros(linesOfLiteLlm(data, options), options));
  return { fault: { path: '', problem: 'is no price list: it is neither an array nor an object' } };
}

function tooMany(count: number): { readonly fault: ListFault } {
  return { fault: { path: '', problem: `has ${count} prices; at most ${listLimits.prices} are taken` } };
}

/** The forms of public lists have no bounds of their own. */
function bounded(read: ReadList): ReadList | { readonly fault: ListFault } {
  if (read.lines.length > listLimits.prices) return tooMany(read.lines.length);
  const wrong = read.lines.find(({ rates, above = [] }) => above.length > listLimits.steps || [{ rates }, ...above].some(isTooHigh));
  if (wrong === undefined) return read;
  const { steps, usdPerMillion } = listLimits;
  return {
    fault: {
      path: quoted(wrong.model),
      problem: `has a price above ${usdPerMillion} US dollars for a million, or more than ${steps} steps`,
    },
  };
}

function isTooHigh({ rates }: { readonly rates: LineRates }): boolean {
  return Object.values(rates).some((usd) => usd !== undefined && !(usd <= listLimits.usdPerMillion));
}

type Unchecked = Pick<ReadList, 'lines'> & { readonly leftOut: Omit<LeftOut, 'zero'> };

function withoutZeros({ lines, leftOut }: Unchecked, { zeroIsFree }: ListOptions): ReadList {
  if (zeroIsFree) return { lines, leftOut: { ...leftOut, zero: 0 } };
  const priced = lines.map(lineWithoutZeros).filter(({ rates }) => hasRate(rates));
  return { lines: priced, leftOut: { ...leftOut, zero: lines.length - priced.length } };
}

/** A kind that a step lists as 0 keeps its price. */
function lineWithoutZeros({ above = [], ...line }: PriceLine): PriceLine {
  const steps = above.map((step) => ({ ...step, rates: positive(step.rates) })).filter(({ rates }) => hasRate(rates));
  return { ...line, rates: positive(line.rates), ...(steps.length === 0 ? {} : { above: steps }) };
}

function hasRate(rates: LineRates): boolean {
  return Object.keys(rates).length > 0;
}

function positive(rates: LineRates): LineRates {
  return Object.fromEntries(rateKinds.flatMap((kind) => ((rates[kind] ?? 0) > 0 ? [[kind, rates[kind]]] : [])));
}
