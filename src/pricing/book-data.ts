import type { ConditionalPrice, ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import { isJsonObject, type JsonObject, quoted } from '../model/text.ts';
import type { BookProviders } from './price-book.ts';

/** The fault of a price book and its path: `providers[3].models[0].prices.input_mtok`. */
export interface BookFault {
  readonly path: string;
  /** Continues a sentence that begins with the path. */
  readonly problem: string;
}

/** Ends the reading at the first fault; never leaves this file. */
class Mismatch extends Error {
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
    if (providers.length === 0) throw mismatch('providers', 'has no provider');
    const firstAt = new Map(providers.map(({ id }, index) => [id, index] as const).toReversed());
    const twice = providers.findIndex(({ id }, index) => firstAt.get(id) !== index);
    if (twice !== -1) throw mismatch(`providers[${twice}].id`, `is ${quoted(providers[twice]?.id ?? '')} a second time`);
    return { providers };
  } catch (error) {
    if (error instanceof Mismatch) return { fault: error.fault };
    throw error;
  }
}

function readProvider(value: unknown, path: string): Provider {
  const { name, fallback_model_providers: fallbacks, ...provider } = objectOf(value, path);
  const id = textOf(provider['id'], `${path}.id`);
  const models = listOf(provider['models'], `${path}.models`).map((model, index) => readModel(model, `${path}.models[${index}]`));
  return {
    id,
    name: typeof name === 'string' ? name : id,
    api_pattern: '',
    models,
    ...(fallbacks === undefined
      ? {}
      : {
          fallback_model_providers: listOf(fallbacks, `${path}.fallback_model_providers`).map((other, index) =>
            textOf(other, `${path}.fallback_model_providers[${index}]`),
          ),
        }),
  };
}

function readModel(value: unknown, path: string): ModelInfo {
  const model = objectOf(value, path);
  const { context_window: contextWindow, deprecated, prices } = model;
  checkMatch(model['match'], `${path}.match`, 0);
  return {
    id: textOf(model['id'], `${path}.id`),
    match: model['match'] as ModelInfo['match'],
    prices: Array.isArray(prices)
      ? listOf(prices, `${path}.prices`).map((entry, index) => readConditionalPrice(entry, `${path}.prices[${index}]`))
      : readModelPrice(prices, `${path}.prices`),
    ...(contextWindow === undefined || contextWindow === null ? {} : { context_window: amountOf(contextWindow, `${path}.context_window`) }),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

const textMatches = ['equals', 'starts_with', 'ends_with', 'contains', 'regex'] as const;
const branchMatches = ['or', 'and'] as const;
const deepestMatch = 20;

function checkMatch(value: unknown, path: string, depth: number): void {
  const entries = Object.entries(objectOf(value, path));
  const [[kind, operand] = ['', undefined]] = entries;
  if (entries.length !== 1 || depth > deepestMatch) throw mismatch(path, 'is no match; write one such as {"equals": "gpt-4o"}');
  if (branchMatches.some((name) => name === kind)) {
    for (const [index, branch] of listOf(operand, `${path}.${kind}`).entries()) {
      checkMatch(branch, `${path}.${kind}[${index}]`, depth + 1);
    }
    return;
  }
  if (!textMatches.some((name) => name === kind)) {
    throw mismatch(path, `has ${quoted(kind)}; a match is one of ${[...textMatches, ...branchMatches].join(', ')}`);
  }
  const text = textOf(operand, `${path}.${kind}`);
  if (kind === 'regex' && !isPattern(text)) throw mismatch(`${path}.regex`, 'is no regular expression');
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

function readConditionalPrice(value: unknown, path: string): ConditionalPrice {
  const { constraint, prices } = objectOf(value, path);
  const read = { prices: readModelPrice(prices, `${path}.prices`) };
  if (constraint === undefined || constraint === null) return read;
  const { start_date: startDate, start_time: startTime, end_time: endTime } = objectOf(constraint, `${path}.constraint`);
  if (startDate !== undefined) {
    const date = textOf(startDate, `${path}.constraint.start_date`);
    if (!dateShape.test(date) || Number.isNaN(Date.parse(date))) {
      throw mismatch(`${path}.constraint.start_date`, 'is no date; write one such as 2026-01-31');
    }
    return { ...read, constraint: { type: 'start_date', start_date: date } };
  }
  const [start, end] = [timeOf(startTime, `${path}.constraint.start_time`), timeOf(endTime, `${path}.constraint.end_time`)];
  return { ...read, constraint: { type: 'time_of_date', start_time: start, end_time: end } };
}

function timeOf(value: unknown, path: string): string {
  const time = textOf(value, path);
  if (!timeShape.test(time)) throw mismatch(path, 'is no time of day; write one such as 16:30:00Z');
  return time;
}

/** The units of genai-prices. A key for counts that usage does not have passes. */
const priceKeyShape = /^[a-z0-9]+(_[a-z0-9]+)*_(mtok|kcount|hours|kpages|mchars|gpixels)$/;

function readModelPrice(value: unknown, path: string): ModelPrice {
  const price: Record<string, ModelPrice[string]> = {};
  for (const [key, listed] of Object.entries(objectOf(value, path))) {
    if (!priceKeyShape.test(key)) throw mismatch(`${path}.${key}`, 'is no price that is known; write one such as "input_mtok"');
    if (listed !== null) price[key] = isJsonObject(listed) ? readSteps(listed, `${path}.${key}`) : amountOf(listed, `${path}.${key}`);
  }
  return price;
}

/** No list has more than two. */
const maxTiers = 16;

function readSteps({ base, tiers }: JsonObject, path: string): Exclude<ModelPrice[string], number | undefined> {
  if (Array.isArray(tiers) && tiers.length > maxTiers) throw mismatch(`${path}.tiers`, `has more than ${maxTiers} tiers`);
  return {
    base: amountOf(base, `${path}.base`),
    tiers: listOf(tiers, `${path}.tiers`).map((step, index) => {
      const { start, price } = objectOf(step, `${path}.tiers[${index}]`);
      return { start: amountOf(start, `${path}.tiers[${index}].start`), price: amountOf(price, `${path}.tiers[${index}].price`) };
    }),
  };
}

function objectOf(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw mismatch(path, value === undefined ? 'is missing' : 'is no object');
  return value;
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw mismatch(path, value === undefined ? 'is missing' : 'is no array');
  return value;
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw mismatch(path, value === undefined ? 'is missing' : 'is no text');
  return value;
}

function amountOf(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw mismatch(path, 'is no number from 0');
  return value;
}

function mismatch(path: string, problem: string): Mismatch {
  return new Mismatch({ path, problem });
}
