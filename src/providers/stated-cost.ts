import { moneyOfUnits, moneyOfUsd } from '../model/pricing/money.ts';
import type { Money } from '../model/pricing/money.ts';
import { isJsonObject, type JsonObject } from '../model/text.ts';
import { countOf, objectOf } from './facts.ts';

/** xAI counts in ticks, ten thousand million to the dollar. */
const unitsPerTick = 100n;

/**
 * US dollars that the usage itself states: not OpenAI's own, but resellers and others that speak its format say there what they charge.
 * OpenRouter writes `cost`, Perplexity an object of costs with their total, DeepInfra `estimated_cost`, xAI `cost_in_usd_ticks`.
 *
 * A 0 beside tokens is a field that nobody filled in, as Azure's for Grok, and no statement; but for a model whose name says that it is free.
 */
export function readStatedCost(usage: unknown, model = ''): Money | null {
  const stated = objectOf(usage);
  const cost = statedIn(stated);
  return cost === 0n && !model.endsWith(':free') && countsTokens(stated) ? null : cost;
}

const tokenCounts = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens', 'total_tokens'] as const;

function countsTokens(stated: JsonObject): boolean {
  return tokenCounts.some((key) => (countOf(stated[key]) ?? 0) > 0);
}

function statedIn(stated: JsonObject): Money | null {
  const ticks = countOf(stated['cost_in_usd_ticks']);
  if (ticks !== null) return moneyOfUnits(BigInt(ticks) * unitsPerTick);
  const { cost } = stated;
  const charged = moneyFrom((isJsonObject(cost) ? cost['total_cost'] : cost) ?? stated['estimated_cost']);
  if (charged === null || stated['is_byok'] !== true) return charged;
  // Who brings a key of their own to OpenRouter pays it a fee, and the provider besides.
  return moneyOfUnits(charged + (moneyFrom(objectOf(stated['cost_details'])['upstream_inference_cost']) ?? 0n));
}

function moneyFrom(usd: unknown): Money | null {
  return typeof usd === 'number' && usd >= 0 ? (moneyOfUsd(usd) ?? null) : null;
}
