import type { EstimatedRequest, BodySummary } from '../../model/record/body-summary.ts';
import { type Money, moneyOfUnits, zeroMoney } from '../../model/pricing/money.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { maxCost } from '../highest-cost.ts';
import type { Prices } from '../look-up.ts';
import { providerDeclaration } from '../../model/providers/providers.ts';
import { providerNamed } from '../../providers/registry.ts';
import { readBody } from '../../providers/body-summary.ts';

const cent = 10n ** 10n;
const billedMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Paths that generate nothing: they count tokens or keep files. */
const freePath = /(?:\/count_tokens|\/input_tokens|:countTokens|\/files|\/uploads|\/uploads\/[^/]+\/(?:parts|complete|cancel))$/;

/** Whether a call costs nothing. An unknown address may cost something. */
function isFree({ provider, path }: EstimatedRequest): boolean {
  const [beforeQuery = ''] = path.split('?', 1);
  return provider !== 'custom' && (freePath.test(beforeQuery) || providerDeclaration(provider).freePath?.test(beforeQuery) === true);
}

/** The prices of an organisation. May throw GatelogError `metadata_unavailable`. */
export type PricesOf = (organizationId: OrganizationId) => Prices;

/**
 * Makes the estimate that a budget reserves for a call: the most that it can cost. @param reserveCents the estimate without a price, a
 * readable body or a bound of the output.
 */
export function makeCostEstimate(
  reserveCents: number,
  pricesOf: PricesOf,
): (organizationId: OrganizationId, call: EstimatedRequest) => Money {
  const reserve = moneyOfUnits(BigInt(reserveCents) * cent);
  return (organizationId, call) =>
    billedMethods.has(call.method) && !isFree(call) ? (boundOf(call, () => pricesOf(organizationId)) ?? reserve) : zeroMoney;
}

function boundOf(call: EstimatedRequest, pricesOf: () => Prices): Money | undefined {
  const { provider, modelOverride, at } = call;
  const summary = summaryOf(call);
  if (summary === undefined) return undefined;
  const { models, serviceTier, geo, ...size } = summary.size;
  // Echo returns its input.
  const bounds = provider === 'echo' ? { ...size, outputTokens: size.outputTokens ?? size.inputTokens } : size;
  const modelNames = [...new Set([summary.model, ...models])].filter((model) => model !== '');
  const entry = providerNamed(provider);
  const query = { provider: entry?.recordName ?? '', providerId: entry?.priceProviderId, at, geo };
  const prices = pricesOf();
  // A provider without capacity in a cheaper tier may serve and bill the default tier.
  const tiers = serviceTier === '' ? [serviceTier] : [serviceTier, ''];
  const costs = modelNames.flatMap((model) => {
    // The override counts only where the model's own name has no price.
    const names = modelOverride === undefined ? [model] : [model, modelOverride];
    const costIn = (tier: string) =>
      names.map((name) => maxCost({ ...query, serviceTier: tier, models: [name] }, bounds, prices)).find((cost) => cost !== undefined);
    return tiers.map(costIn);
  });
  return costs.length === 0 ? undefined : highestOf(costs);
}

/** @returns undefined when one of them is unknown. */
function highestOf(costs: readonly (Money | undefined)[]): Money | undefined {
  return costs.reduce(
    (max, cost) => (max === undefined || cost === undefined ? undefined : moneyOfUnits(cost > max ? cost : max)),
    zeroMoney,
  );
}

/** The end user in a body by its wire format; empty without one. */
export function readUser(call: EstimatedRequest): string {
  return summaryOf(call)?.user ?? '';
}

/** Facts found earlier, or read now. */
function summaryOf({ provider, path, body, found }: EstimatedRequest): BodySummary | undefined {
  if (found !== undefined) return found.summary;
  return body === undefined ? undefined : readBody(body)({ provider, path, replaced: undefined, bytes: body.length });
}
