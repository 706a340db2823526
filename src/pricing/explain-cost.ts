import type { BilledRequest, CostExplanation, ExplainedLine, NearestPrice, StatedCost } from '../model/record/billed-request.ts';
import { usdOf } from '../model/pricing/money.ts';
import { quoted } from '../model/text.ts';
import { isHalf, type Usage } from '../model/record/usage.ts';
import { readAppliedPrice } from './applied-price.ts';
import { billLines, type CostLine, isBillable, type PricedUsage, priceUsage, searchesLeftOut, sumOf } from './cost.ts';
import { nearestModel } from './nearest.ts';
import { pricedModels, type PriceQuery, type Prices } from './look-up.ts';
import type { Price } from './tables/price.ts';
import { isOfSeveralModels } from './several-models.ts';

export interface Pricing {
  /** The provider's name in the price book; undefined without one. */
  readonly providerId: string | undefined;
  readonly prices: Prices;
}

/**
 * Whether the tables decide the cost. Costs that the caller or the provider reported stay, cached responses cost nothing, and of several
 * models the record has only the sum.
 */
export function isByTables(request: BilledRequest): boolean {
  const { costSource, cached, usage } = request;
  return !cached && (costSource === 'price-book' || costSource === 'none') && !isHalf(usage) && !isOfSeveralModels(request);
}

/** The cost of a stored request at the prices of its time as today's tables list them; undefined where the tables do not decide. */
export function recomputedCost(request: BilledRequest, pricing: Pricing): StatedCost | undefined {
  if (!isByTables(request)) return undefined;
  const { amount, source, reference, applied } = reprice(request, pricing);
  return { cost: amount, costSource: source, priceReference: reference, appliedPrice: applied };
}

/** Explains a stored cost by the price that was applied, and adds what today's tables would charge. */
export function explainCost(request: BilledRequest, pricing: Pricing): CostExplanation {
  const { cost: total, costSource: source, cached, priceReference } = request;
  if (cached && total === 0n) {
    return { total, source, lines: [], recomputed: total, note: 'It was answered from the cache, so nothing was paid for it.' };
  }
  if (isOfSeveralModels(request) && (source === 'price-book' || source === 'none')) {
    const reason =
      total === null
        ? 'One of them has none, so there is no cost'
        : 'The record keeps the sum of what they did, so this cost is not computed again';
    const note = `Several models took part, each at its own price (${priceReference}). ${reason}.`;
    return { total, source, lines: totalLine(request, 'price-book'), recomputed: total, note };
  }
  switch (source) {
    case 'header':
      return stated(request, 'The caller gave this cost, in Svc-Cost.', 'header');
    case 'provider':
      return stated(request, 'The provider stated this cost in its answer.', 'provider');
    case 'none': {
      const recomputed = recomputedCost(request, pricing)?.cost ?? null;
      const nearest = recomputed === null ? nearestOf(request, pricing) : undefined;
      return { total, source, lines: [], recomputed, note: whyNone(request), nearest };
    }
    case 'price-book':
      return byPrice(request, pricing);
  }
}

function stated(request: BilledRequest, note: string, priceSource: 'header' | 'provider'): CostExplanation {
  const { cost: total, costSource: source } = request;
  return { total, source, lines: totalLine(request, priceSource), recomputed: total, note };
}

function totalLine({ cost }: BilledRequest, priceSource: ExplainedLine['priceSource']): readonly ExplainedLine[] {
  return cost === null
    ? []
    : [{ kind: 'total', tokens: null, pricePerMillion: null, amount: cost, priceSource, statedBy: null, validFrom: null }];
}

function byPrice(request: BilledRequest, pricing: Pricing): CostExplanation {
  const { cost: total, costSource: source, usage, appliedPrice, priceReference } = request;
  const now = isByTables(request) ? reprice(request, pricing) : undefined;
  const recomputed = now === undefined ? total : now.amount;
  const base = { total, source, recomputed };
  for (const price of [readAppliedPrice(appliedPrice, priceReference), readAppliedPrice(now?.applied ?? '', now?.reference ?? '')]) {
    const lines = price === undefined ? undefined : billLines(usage, price);
    if (price !== undefined && lines !== undefined && sumOf(lines) === total) {
      const note = price.isFree ? 'The model is listed as free.' : whatIsLeftOut(usage, price);
      return { ...base, lines: lines.map((line) => explained(line, price)), note };
    }
  }
  const note = `The price that was applied (${priceReference}) is not kept with this record, and the tables have another one by now.`;
  return { ...base, lines: totalLine(request, 'price-book'), note };
}

/** Fees that the price does not include, as far as they are known. */
function whatIsLeftOut(usage: Usage, price: Price): string | undefined {
  const count = searchesLeftOut(usage, price);
  if (count === 0) return undefined;
  return `${count} ${count === 1 ? 'search' : 'searches'} that the provider made for the call may be billed besides: the price has no fee for them, so they are not in this cost.`;
}

function explained({ kind, tokens, pricePerMillion, amount }: CostLine, { table, source, validFrom }: Price): ExplainedLine {
  const statedBy = source === '' ? null : source;
  return { kind, tokens, pricePerMillion, amount, priceSource: table, statedBy, validFrom: validFrom === '' ? null : validFrom };
}

function reprice(request: BilledRequest, { providerId, prices }: Pricing): PricedUsage {
  return priceUsage(request.usage, queryOf(request, providerId), prices);
}

export function queryOf(request: BilledRequest, providerId: string | undefined): PriceQuery {
  const { provider, modelOverride, responseModel, requestModel, createdAt, serviceTier } = request;
  const models = pricedModels({ override: modelOverride, response: responseModel, request: requestModel });
  return { provider, providerId, models, at: createdAt, serviceTier };
}

/** A listed price for a model that has none at all. */
function nearestOf(request: BilledRequest, { providerId, prices }: Pricing): NearestPrice | undefined {
  const { usage, createdAt, provider } = request;
  const model = modelOf(request);
  if (model === undefined || !isBillable(usage) || isHalf(usage) || prices.book.find(providerId, model, createdAt) !== undefined) {
    return undefined;
  }
  const nearest = nearestModel(prices.book, providerId, model, createdAt);
  if (nearest === undefined) return undefined;
  const rates = Object.fromEntries(Array.from(nearest.price.rates, ([kind, { perMillion }]) => [kind, usdOf(perMillion)]));
  return { model: nearest.model, line: { model, provider: providerId === undefined ? null : provider, validFrom: null, rates } };
}

/** The name by which a call is priced. */
function modelOf({ modelOverride, responseModel, requestModel }: BilledRequest): string | undefined {
  return pricedModels({ override: modelOverride, response: responseModel, request: requestModel }).find((name) => name !== '');
}

function whyNone(request: BilledRequest): string {
  const { usage, provider, serviceTier } = request;
  if (isHalf(usage)) return 'Only a part of the tokens is known: of the rest nothing was reported, and nothing kept to count.';
  if (!isBillable(usage)) return 'No tokens were reported, and none could be estimated, so there is nothing to price.';
  const model = modelOf(request);
  if (model === undefined) return 'Neither the call nor the answer names a model.';
  const tier = serviceTier === '' ? '' : ` at its service tier ${quoted(serviceTier)}`;
  return `There was no price for the model ${quoted(model)} of ${provider}${tier}, or none for some kind of its tokens. Store one with PUT /v1/prices; "gatelog reprice" applies it to what is on record.`;
}
