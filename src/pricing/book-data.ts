import type { ConditionalPrice, ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import { isJsonObject, type JsonObject, quoted } from '../model/text.ts';
import type { BookProviders } from './price-book.ts';

/** The fault of a price book and its path: `providers[3].models[0].prices.input_mtok`. */
export interface BookFault {
  readonly place: string;
  /** Continues a sentence that begins with the path. */
  readonly problem: string;
}

/** Ends the reading at the first fault; never leaves this file. */
class Misfit extends Error {
  readonly fault: BookFault;

  constructor(fault: BookFault) {
    super(fault.problem);
    this.fault = fault;
  }
}

/**
 * Reads a price book as genai-prices publishes it: an array of providers with their models, each with `id`, `match` and `prices`. Unused
 * fields pass.
 */
export function readBookData(data: unknown): { readonly providers: BookProviders } | { readonly fault: BookFault } {
  try {
    const providers = listOf(data, 'providers').map((provider, index) => readProvider(provider, `providers[${index}]`));
    if (providers.length === 0) throw misfit('providers', 'has no provider');
    const twice = providers.findIndex(({ id }, index) => providers.some((other, earlier) => earlier < index && other.id === id));
    if (twice !== -1) throw misfit(`providers[${twice}].id`, `is ${quoted(providers[twice]?.id ?? '')} a second time`);
    return { providers };
  } catch (error) {
    if (error instanceof Misfit) return { fault: error.fault };
    throw error;
  }
}

function readProvider(value: unknown, place: string): Provider {
  const { name, fallback_model_providers: fallbacks, ...provider } = objectOf(value, place);
  const id = textOf(provider['id'], `${place}.id`);
  const models = listOf(provider['models'], `${place}.models`).map((model, index) => readModel(model, `${place}.models[${index}]`));
  return {
    id,
    name: typeof name === 'string' ? name : id,
    api_pattern: '',
    models,
    ...(fallbacks === undefined
      ? {}
      : {
          fallback_model_providers: listOf(fallbacks, `${place}.fallback_model_providers`).map((other, index) =>
            textOf(other, `${place}.fallback_model_providers[${index}]`),
          ),
        }),
  };
}

function readModel(value: unknown, place: string): ModelInfo {
  const model = objectOf(value, place);
  const { context_window: contextWindow, deprecated, prices } = model;
  checkMatch(model['match'], `${place}.match`, 0);
  return {
    id: textOf(model['id'], `${place}.id`),
    match: model['match'] as ModelInfo['match'],
    prices: Array.isArray(prices)
      ? listOf(prices, `${place}.prices`).map((entry, index) => readConditionalPrice(entry, `${place}.prices[${index}]`))
      : readModelPrice(prices, `${place}.prices`),
    ...(contextWindow === undefined || contextWindow === null
      ? {}
      : { context_window: amountOf(contextWindow, `${place}.context_window`) }),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

const textMatches = ['equals', 'starts_with', 'ends_with', 'contains', 'regex'] as const;
const branchMatches = ['or', 'and'] as const;
const deepestMatch = 20;

function checkMatch(value: unknown, place: string, depth: number): void {
  const entries = Object.entries(objectOf(value, place));
  const [[kind, operand] = ['', undefined]] = entries;
  if (entries.length !== 1 || depth > deepestMatch) throw misfit(place, 'is no match; write one such as {"equals": "gpt-4o"}');
  if (branchMatches.some((name) => name === kind)) {
    for (const [index, branch] of listOf(operand, `${place}.${kind}`).entries()) {
      checkMatch(branch, `${place}.${kind}[${index}]`, depth + 1);
    }
    return;
  }
  if (!textMatches.some((name) => name === kind)) {
    throw misfit(place, `has ${quoted(kind)}; a match is one of ${[...textMatches, ...branchMatches].join(', ')}`);
  }
  const text = textOf(operand, `${place}.${kind}`);
  if (kind === 'regex' && !isPattern(text)) throw misfit(`${place}.regex`, 'is no regular expression');
}

function isPattern(text: string): boolean {
  try {
    // Without flags, as the library compiles it.
    void new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

const dateShape = /^\d{4}-\d{2}-\d{2}$/;
const timeShape = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(Z|[+-]\d{2}:\d{2})$/;

function readConditionalPrice(value: unknown, place: string): ConditionalPrice {
  const { constraint, prices } = objectOf(value, place);
  const read = { prices: readModelPrice(prices, `${place}.prices`) };
  if (constraint === undefined || constraint === null) return read;
  const { start_date: startDate, start_time: startTime, end_time: endTime } = objectOf(constraint, `${place}.constraint`);
  if (startDate !== undefined) {
    const date = textOf(startDate, `${place}.constraint.start_date`);
    if (!dateShape.test(date) || Number.isNaN(Date.parse(date))) {
      throw misfit(`${place}.constraint.start_date`, 'is no date; write one such as 2026-01-31');
    }
    return { ...read, constraint: { type: 'start_date', start_date: date } };
  }
  const [start, end] = [timeOf(startTime, `${place}.constraint.start_time`), timeOf(endTime, `${place}.constraint.end_time`)];
  return { ...read, constraint: { type: 'time_of_date', start_time: start, end_time: end } };
}

function timeOf(value: unknown, place: string): string {
  const time = textOf(value, place);
  if (!timeShape.test(time)) throw misfit(place, 'is no time of day; write one such as 16:30:00Z');
  return time;
}

/** The units of genai-prices. A key for counts that usage does not have passes. */
const priceKeyShape = /^[a-z0-9]+(_[a-z0-9]+)*_(mtok|kcount|hours|kpages|mchars|gpixels)$/;

function readModelPrice(value: unknown, place: string): ModelPrice {
  const price: Record<string, ModelPrice[string]> = {};
  for (const [key, listed] of Object.entries(objectOf(value, place))) {
    if (!priceKeyShape.test(key)) throw misfit(`${place}.${key}`, 'is no price that is known; write one such as "input_mtok"');
    if (listed !== null) price[key] = isJsonObject(listed) ? readSteps(listed, `${place}.${key}`) : amountOf(listed, `${place}.${key}`);
  }
  return price;
}

function readSteps({ base, tiers }: JsonObject, place: string): Exclude<ModelPrice[string], number | undefined> {
  return {
    base: amountOf(base, `${place}.base`),
    tiers: listOf(tiers, `${place}.tiers`).map((step, index) => {
      const { start, price } = objectOf(step, `${place}.tiers[${index}]`);
      return { start: amountOf(start, `${place}.tiers[${index}].start`), price: amountOf(price, `${place}.tiers[${index}].price`) };
    }),
  };
}

function objectOf(value: unknown, place: string): JsonObject {
  if (!isJsonObject(value)) throw misfit(place, value === undefined ? 'is missing' : 'is no object');
  return value;
}

function listOf(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw misfit(place, value === undefined ? 'is missing' : 'is no array');
  return value;
}

function textOf(value: unknown, place: string): string {
  if (typeof value !== 'string' || value === '') throw misfit(place, value === undefined ? 'is missing' : 'is no text');
  return value;
}

function amountOf(value: unknown, place: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw misfit(place, 'is no number from 0');
  return value;
}

function misfit(place: string, problem: string): Misfit {
  return new Misfit({ place, problem });
}
