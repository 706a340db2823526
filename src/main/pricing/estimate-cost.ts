import type { BilledRequest } from '../../gateway/limits/call-limits.ts';
import type { BodyFacts } from '../../gateway/bodies/threads.ts';
import { type Money, moneyOfUnits, zeroMoney } from '../../model/pricing/money.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { maxCost } from '../../pricing/highest-cost.ts';
import type { Prices } from '../../pricing/look-up.ts';
import { providerNamed } from '../../providers/registry.ts';
import { readBody } from '../bodies/facts.ts';

/** A hundredth of a US dollar. */
const cent = 10n ** 10n;
/** Methods that make a provider generate something. */
const billedMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Paths at which nothing is generated: tokens are counted, files are kept. */
const freePath = /(?:\/count_tokens|\/input_tokens|:countTokens|\/files|\/uploads|\/uploads\/[^/]+\/(?:parts|complete|cancel))$/;
/** OpenAI's alone are free. */
const moderations = /\/moderations$/;

/** True for a call that costs nothing; of an address that nobody knows nobody knows that. */
function isFree({ provider, path }: BilledRequest): boolean {
  const [beforeQuery = ''] = path.split('?', 1);
  return provider !== 'custom' && (freePath.test(beforeQuery) || (provider === 'openai' && moderations.test(beforeQuery)));
}

/** What calls of an organisation are priced by. @throws (from it) GatelogError `metadata_unavailable`. */
export type PricesOf = (organizationId: OrganizationId) => Prices;

/**
 * Makes what tells a budget how much to set aside for a call: the most that it can cost.
 * @param reserveCents stands where that is not known: no price, no body that can be read, or nothing that says how long the answer may become.
 */
export function makeCostEstimate(reserveCents: number, pricesOf: PricesOf): (organizationId: OrganizationId, call: BilledRequest) => Money {
  const reserve = moneyOfUnits(BigInt(reserveCents) * cent);
  return (organizationId, call) =>
    billedMethods.has(call.method) && !isFree(call) ? (boundOf(call, () => pricesOf(organizationId)) ?? reserve) : zeroMoney;
}

function boundOf(call: BilledRequest, pricesOf: () => Prices): Money | undefined {
  const { provider, modelOverride, at } = call;
  const facts = factsOf(call);
  if (facts === undefined) return undefined;
  const { models, serviceTier, ...size } = facts.size;
  // Echo says what was said to it.
  const bounds = provider === 'echo' ? { ...size, outputTokens: size.outputTokens ?? size.inputTokens } : size;
  const answering = [...new Set([facts.model, ...models])].filter((model) => model !== '');
  const entry = providerNamed(provider);
  const query = { provider: entry?.recordName ?? '', providerId: entry?.priceProviderId, at };
  const prices = pricesOf();
  // A provider without room in a cheaper tier may serve in the usual one, and bills that.
  const tiers = serviceTier === '' ? [serviceTier] : [serviceTier, ''];
  const costs = answering.flatMap((model) => {
    // The caller's word stands only where the model's own name tells nothing.
    const names = modelOverride === undefined ? [model] : [model, modelOverride];
    const costIn = (tier: string) =>
      names.map((name) => maxCost({ ...query, serviceTier: tier, models: [name] }, bounds, prices)).find((cost) => cost !== undefined);
    return tiers.map(costIn);
  });
  return costs.length === 0 ? undefined : highestOf(costs);
}

/** @returns undefined when one of them is not known. */
function highestOf(costs: readonly (Money | undefined)[]): Money | undefined {
  return costs.reduce(
    (most, cost) => (most === undefined || cost === undefined ? undefined : moneyOfUnits(cost > most ? cost : most)),
    zeroMoney,
  );
}

/** The end user whom a body names, by its wire format; empty without one. */
export function readUser(call: BilledRequest): string {
  return factsOf(call)?.user ?? '';
}

/** What was found in the body before, or is now. */
function factsOf({ provider, path, body, found }: BilledRequest): BodyFacts | undefined {
  if (found !== undefined) return found.facts;
  return body === undefined ? undefined : readBody(body)({ provider, path, replaced: undefined, bytes: body.length });
}
