import { moneyOfUnits, moneyOfUsd } from '../../model/pricing/money.ts';
import type { Money } from '../../model/pricing/money.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { countOf, objectOf } from './fields.ts';

/** xAI counts in ticks of 10⁻¹⁰ USD. */
const unitsPerTick = 100n;

/**
 * The cost in US dollars that a `usage` states. OpenAI states none; resellers and others with its format do: OpenRouter writes `cost`,
 * Perplexity an object of costs with their total, DeepInfra `estimated_cost`, xAI `cost_in_usd_ticks`. A 0 beside tokens is an unset
 * field, as in Azure's for Grok, and is ignored unless the model's name marks it as free.
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
  // With the caller's own key, OpenRouter charges a fee and the provider bills the caller beside it.
  return moneyOfUnits(charged + (moneyFrom(objectOf(stated['cost_details'])['upstream_inference_cost']) ?? 0n));
}

function moneyFrom(usd: unknown): Money | null {
  return typeof usd === 'number' && usd >= 0 ? (moneyOfUsd(usd) ?? null) : null;
}
