import type { OutgoingCall } from '../gateway/call-limits.ts';
import { type Money, moneyOfUnits, zeroMoney } from '../model/money.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import type { OrganizationId } from '../model/ids.ts';
import { highestCost } from '../pricing/highest-cost.ts';
import type { Prices } from '../pricing/look-up.ts';
import { readCallSize } from '../providers/call-size.ts';
import { providerNamed, wireFormatFor } from '../providers/registry.ts';

/** A hundredth of a US dollar. */
const cent = 10n ** 10n;
/** Methods that make a provider generate something. */
const billedMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Paths at which nothing is generated: tokens are counted, files are kept. */
const freePath = /(?:\/count_tokens|\/input_tokens|:countTokens|\/files|\/uploads|\/uploads\/[^/]+\/(?:parts|complete|cancel))$/;
/** OpenAI's alone are free. */
const moderations = /\/moderations$/;

/** True for a call that costs nothing; of an address that nobody knows nobody knows that. */
function isFree({ provider, path }: OutgoingCall): boolean {
  const [beforeQuery = ''] = path.split('?', 1);
  return provider !== 'custom' && (freePath.test(beforeQuery) || (provider === 'openai' && moderations.test(beforeQuery)));
}

/** What calls of an organisation are priced by. @throws (from it) GatelogError `metadata_unavailable`. */
export type PricesOf = (organizationId: OrganizationId) => Prices;

/**
 * Makes what tells a budget how much to set aside for a call: the most that it can cost.
 * @param reserveCents stands where that is not known: no price, no body that can be read, or nothing that says how long the answer may become.
 */
export function makeCostEstimate(reserveCents: number, pricesOf: PricesOf): (organizationId: OrganizationId, call: OutgoingCall) => Money {
  const reserve = moneyOfUnits(BigInt(reserveCents) * cent);
  return (organizationId, call) =>
    billedMethods.has(call.method) && !isFree(call) ? (boundOf(call, () => pricesOf(organizationId)) ?? reserve) : zeroMoney;
}

function boundOf({ provider, path, body, modelOverride, at }: OutgoingCall, pricesOf: () => Prices): Money | undefined {
  const parsed = parseBody(body);
  if (!isJsonObject(parsed)) return undefined;
  const format = wireFormatFor(provider, path);
  const { models, serviceTier, ...size } = readCallSize(parsed, body?.length ?? 0, format?.outputLimits ?? []);
  // Echo says what was said to it.
  const bounds = provider === 'echo' ? { ...size, outputTokens: size.outputTokens ?? size.inputTokens } : size;
  const named = format?.readRequest(parsed, path).model ?? '';
  const answering = [...new Set([named, ...models])].filter((model) => model !== '');
  const entry = providerNamed(provider);
  const query = { provider: entry?.recordName ?? '', providerId: entry?.priceProviderId, at };
  const prices = pricesOf();
  // A provider without room in a cheaper tier may serve in the usual one, and bills that.
  const tiers = serviceTier === '' ? [serviceTier] : [serviceTier, ''];
  const costs = answering.flatMap((model) => {
    // The caller's word stands only where the model's own name tells nothing.
    const names = modelOverride === undefined ? [model] : [model, modelOverride];
    const costIn = (tier: string) =>
      names.map((name) => highestCost({ ...query, serviceTier: tier, models: [name] }, bounds, prices)).find((cost) => cost !== undefined);
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
export function readUser({ provider, path, body }: OutgoingCall): string {
  const format = wireFormatFor(provider, path);
  const parsed = format === undefined ? undefined : parseBody(body);
  return isJsonObject(parsed) ? (format?.readRequest(parsed, path).user ?? '') : '';
}

function parseBody(body: Buffer | undefined): unknown {
  return body === undefined ? undefined : parseJson(body.toString('utf8'));
}
