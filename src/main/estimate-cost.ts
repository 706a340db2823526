import type { OutgoingCall } from '../gateway/call-limits.ts';
import { type Money, moneyOfUnits, zeroMoney } from '../model/money.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import { highestCost } from '../pricing/highest-cost.ts';
import { readCallSize } from '../providers/call-size.ts';
import { providerNamed, wireFormatFor } from '../providers/registry.ts';

/** A hundredth of a US dollar. */
const cent = 10n ** 10n;
/** Methods that make a provider generate something. */
const billedMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Makes what tells a budget how much to set aside for a call: the most that it can cost by the price book.
 * @param reserveCents stands where that is not known: no price, no body that can be read, or nothing that says how long the answer may become.
 */
export function makeCostEstimate(reserveCents: number): (call: OutgoingCall) => Money {
  const reserve = moneyOfUnits(BigInt(reserveCents) * cent);
  return (call) => (billedMethods.has(call.method) ? (boundOf(call) ?? reserve) : zeroMoney);
}

function boundOf({ provider, path, body, modelOverride, at }: OutgoingCall): Money | undefined {
  const parsed = parseBody(body);
  if (!isJsonObject(parsed)) return undefined;
  const { models, serviceTier, ...bounds } = readCallSize(parsed, body?.length ?? 0);
  const named = wireFormatFor(provider, path)?.readRequest(parsed, path).model ?? '';
  const answering = [...new Set([named, ...models])].filter((model) => model !== '');
  const providerId = providerNamed(provider)?.priceProviderId;
  const costs = answering.map((model) => {
    // The caller's word stands only where the model's own name tells nothing.
    const names = modelOverride === undefined ? [model] : [model, modelOverride];
    return names.map((name) => highestCost({ providerId, model: name, at, serviceTier }, bounds)).find((cost) => cost !== undefined);
  });
  if (costs.length === 0) return undefined;
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
