import { modelMakers } from '../../model/providers/providers.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { PriceChange, PriceSimulation, RefusedChange, ServedModel, WantedChange } from '../../model/record/simulation.ts';
import { priceProviderOf, providerNamed, recordNameFor } from '../../providers/registry.ts';
import { nearestModel } from '../nearest.ts';
import { hasPrice, simulatedCost } from '../simulate-price.ts';
import { type CorePrices, makePricingOf } from './core-prices.ts';

/** @throws GatelogError `metadata_unavailable`. */
export type SimulatePrice = (organizationId: OrganizationId, wanted: WantedChange) => PriceSimulation | RefusedChange;

/** How the API names the tier that providers bill without being asked for one. */
const defaultTier = 'default';

export function makeSimulatePrice(prices: CorePrices, now: () => number): SimulatePrice {
  const pricingOf = makePricingOf(prices);
  return (organizationId, { model, provider, tier, cache }) => {
    const at = now();
    const served = model === undefined ? undefined : servedModel(prices, organizationId, { name: model, provider, at });
    if (served !== undefined && 'refused' in served) return served;
    const change: PriceChange = { model: served, tier: tier === defaultTier ? '' : tier, withoutCache: cache === false, now: at };
    return { change, costOf: (request) => simulatedCost(request, change, pricingOf(organizationId, request)) };
  };
}

interface NamedModel {
  readonly name: string;
  readonly provider: string | undefined;
  readonly at: number;
}

function servedModel(
  { book, stored }: CorePrices,
  organizationId: OrganizationId,
  { name, provider, at }: NamedModel,
): ServedModel | RefusedChange {
  const named = provider === undefined ? modelMakers.flatMap((maker) => providerNamed(maker)?.recordName ?? []) : recordNameFor(provider);
  if (named === undefined) return { refused: 'provider' };
  const sellers = [named].flat().map((seller) => ({ name, provider: seller, providerId: priceProviderOf(seller) }));
  const all = { book, organization: stored.get(organizationId) };
  const nearest = (): string | undefined => nearestModel(book, sellers.length === 1 ? sellers[0]?.providerId : undefined, name, at)?.model;
  return sellers.find((seller) => hasPrice(seller, all, at)) ?? { refused: 'model', nearest: nearest() };
}
