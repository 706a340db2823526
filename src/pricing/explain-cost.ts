import type { BilledRequest, CostExplanation, ExplainedLine, StatedCost } from '../model/pricing/billed-request.ts';
import { quoted } from '../model/text.ts';
import { isHalf, type Usage } from '../model/record/usage.ts';
import { readAppliedPrice } from './applied-price.ts';
import { billLines, type CostLine, isBillable, type PricedUsage, priceUsage, searchesLeftOut, sumOf } from './cost.ts';
import { pricedModels, type PriceQuery, type Prices } from './look-up.ts';
import type { Price } from './price.ts';
import { isOfSeveralModels } from './several-models.ts';

/** What a stored request is priced by now. */
export interface Pricing {
  /** Its provider's name in the price book; undefined: it has none there. */
  readonly providerId: string | undefined;
  readonly prices: Prices;
}

/**
 * True for a cost that the tables decide anew: the caller's and the provider's own figures stand, an answer from the cache costs nothing, and of what
 * several models did the record keeps the sum alone.
 */
function isByTables(request: BilledRequest): boolean {
  const { costSource, cached, usage } = request;
  return !cached && (costSource === 'price-book' || costSource === 'none') && !isHalf(usage) && !isOfSeveralModels(request);
}

/** What a stored request costs by the prices of its time as the tables have them now; undefined where they do not decide. */
export function recomputedCost(request: BilledRequest, pricing: Pricing): StatedCost | undefined {
  if (!isByTables(request)) return undefined;
  const { amount, source, reference, applied } = reprice(request, pricing);
  return { cost: amount, costSource: source, priceReference: reference, appliedPrice: applied };
}

/** Explains the cost that is stored, from the price that was applied when it was; and says what the tables would make of it now. */
export function explainCost(request: BilledRequest, pricing: Pricing): CostExplanation {
  const { cost: total, costSource: source, cached, priceReference } = request;
  if (cached && total === 0n) {
    return { total, source, lines: [], recomputed: total, note: 'It was answered from the cache, so nothing was paid for it.' };
  }
  if (isOfSeveralModels(request) && (source === 'price-book' || source === 'none')) {
    const kept =
      total === null
        ? 'One of them has none, so there is no cost'
        : 'The record keeps the sum of what they did, so this cost is not computed anew';
    const note = `Several models took part, each at its own price (${priceReference}). ${kept}.`;
    return { total, source, lines: wholeLine(request, 'price-book'), recomputed: total, note };
  }
  switch (source) {
    case 'header':
      return stated(request, 'The caller gave this cost, in Svc-Cost.', 'header');
    case 'provider':
      return stated(request, 'The provider stated this cost in its answer.', 'provider');
    case 'none':
      return { total, source, lines: [], recomputed: recomputedCost(request, pricing)?.cost ?? null, note: whyNone(request) };
    case 'price-book':
      return byPrice(request, pricing);
  }
}

function stated(request: BilledRequest, note: string, priceSource: 'header' | 'provider'): CostExplanation {
  const { cost: total, costSource: source } = request;
  return { total, source, lines: wholeLine(request, priceSource), recomputed: total, note };
}

function wholeLine({ cost }: BilledRequest, priceSource: ExplainedLine['priceSource']): readonly ExplainedLine[] {
  return cost === null ? [] : [{ kind: 'total', tokens: null, pricePerMillion: null, amount: cost, priceSource, validFrom: null }];
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
  return { ...base, lines: wholeLine(request, 'price-book'), note };
}

/** What was billed besides, as far as anybody told. */
function whatIsLeftOut(usage: Usage, price: Price): string | undefined {
  const count = searchesLeftOut(usage, price);
  if (count === 0) return undefined;
  return `${count} ${count === 1 ? 'search' : 'searches'} that the provider made for the call may be billed besides: the price has no fee for them, so they are not in this cost.`;
}

function explained({ kind, tokens, pricePerMillion, amount }: CostLine, { table, validFrom }: Price): ExplainedLine {
  return { kind, tokens, pricePerMillion, amount, priceSource: table, validFrom: validFrom === '' ? null : validFrom };
}

function reprice(request: BilledRequest, { providerId, prices }: Pricing): PricedUsage {
  return priceUsage(request.usage, queryOf(request, providerId), prices);
}

/** What a stored request is looked up by in the tables. */
export function queryOf(request: BilledRequest, providerId: string | undefined): PriceQuery {
  const { provider, modelOverride, responseModel, requestModel, createdAt, serviceTier } = request;
  const models = pricedModels({ override: modelOverride, response: responseModel, request: requestModel });
  return { provider, providerId, models, at: createdAt, serviceTier };
}

function whyNone({ usage, provider, modelOverride, responseModel, requestModel, serviceTier }: BilledRequest): string {
  if (isHalf(usage)) return 'Only a part of the tokens is known: of the rest nothing was reported, and nothing kept to count.';
  if (!isBillable(usage)) return 'No tokens were reported, and none could be estimated, so there is nothing to price.';
  const names = pricedModels({ override: modelOverride, response: responseModel, request: requestModel });
  const model = names.find((name) => name !== '');
  if (model === undefined) return 'Neither the call nor the answer names a model.';
  const tier = serviceTier === '' ? '' : ` at its service tier ${quoted(serviceTier)}`;
  return `There was no price for the model ${quoted(model)} of ${provider}${tier}, or none for some kind of its tokens. Store one with PUT /v1/prices; "gatelog reprice" applies it to what is on record.`;
}
