import type { PriceSimulationItem, priceSimulationSchema } from '../../contract/simulations.ts';
import { type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { type Money, moneyOfUnits, usdOf, zeroMoney } from '../../model/pricing/money.ts';
import type { RepricedRequest } from '../../model/record/reprice.ts';
import type { PriceChange, SimulatedCost } from '../../model/record/simulation.ts';
import { filterWrappers } from '../filter/leaf.ts';
import { parseFilter } from '../filter/parse.ts';
import type { RequestsPlan } from '../requests/query.ts';
import { noFlags } from '../requests/selection.ts';

type SimulationBody = Pick<(typeof priceSimulationSchema)['_output'], 'filter'>;

/** Requests that are read at once. */
const pageRows = 5000;
const maxModels = 100;
/** Names are the caller's: as many are told apart before the report leaves most of them out. */
const maxKnownModels = 2000;

/** Binds a simulation to its tenant: requests in the order of their arrival. @returns the first fault in its filter. */
export function planSimulation(tenant: OrganizationId, { filter }: SimulationBody): Result<RequestsPlan> {
  const parsed = parseFilter(filter, { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  if (!parsed.ok) return parsed;
  return success({
    tenant,
    filter: parsed.value.filter,
    flags: noFlags,
    sort: [{ key: 'created_at', direction: 'asc' }],
    after: undefined,
    offset: 0,
    limit: pageRows,
    includeInputs: false,
  });
}

interface Compared {
  requests: number;
  cost: Money;
  simulated: Money;
}

/** Adds up what requests cost, and what they would have cost. */
export class PriceTally {
  private readonly total = none();
  private readonly byDay = new Map<string, Compared>();
  private readonly byModel = new Map<string | null, Compared>();
  private readonly leftOut = { withoutCost: 0, withoutPrice: 0, cost: zeroMoney };
  private matched = 0;
  private estimated = 0;
  private unchanged = 0;

  add({ model, billed }: RepricedRequest, { cost: simulated, isEstimated, isUnchanged }: SimulatedCost): void {
    this.matched += 1;
    const { cost, createdAt } = billed;
    if (cost === null) this.leftOut.withoutCost += 1;
    else if (simulated === null) {
      this.leftOut.withoutPrice += 1;
      this.leftOut.cost = moneyOfUnits(this.leftOut.cost + cost);
    } else {
      if (isEstimated) this.estimated += 1;
      if (isUnchanged) this.unchanged += 1;
      const day = new Date(createdAt).toISOString().slice(0, 'yyyy-mm-dd'.length);
      const name = this.byModel.has(model) || this.byModel.size < maxKnownModels ? model : null;
      for (const sum of [this.total, entry(this.byDay, day), entry(this.byModel, name)]) include(sum, cost, simulated);
    }
  }

  item({ model }: PriceChange): PriceSimulationItem {
    const { matched, estimated, unchanged, leftOut } = this;
    return {
      model: model?.name ?? null,
      provider: model?.provider ?? null,
      matched,
      ...comparedItem(this.total),
      estimated,
      unchanged,
      left_out: { without_cost: leftOut.withoutCost, without_price: leftOut.withoutPrice, cost: usdOf(leftOut.cost) },
      by_day: [...this.byDay].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([day, sum]) => ({ day, ...comparedItem(sum) })),
      by_model: this.models(),
    };
  }

  private models(): PriceSimulationItem['by_model'] {
    const named = [...this.byModel].filter(([name]) => name !== null).toSorted(([, one], [, other]) => byCost(one, other));
    const rest = this.byModel.get(null) ?? none();
    for (const [, sum] of named.slice(maxModels)) include(rest, sum.cost, sum.simulated, sum.requests);
    const shown = named.slice(0, maxModels).map(([model, sum]) => ({ model, ...comparedItem(sum) }));
    return rest.requests === 0 ? shown : [...shown, { model: null, ...comparedItem(rest) }];
  }
}

function none(): Compared {
  return { requests: 0, cost: zeroMoney, simulated: zeroMoney };
}

function entry<Key>(sums: Map<Key, Compared>, key: Key): Compared {
  const known = sums.get(key);
  if (known !== undefined) return known;
  const fresh = none();
  sums.set(key, fresh);
  return fresh;
}

function include(sum: Compared, cost: Money, simulated: Money, requests = 1): void {
  sum.requests += requests;
  sum.cost = moneyOfUnits(sum.cost + cost);
  sum.simulated = moneyOfUnits(sum.simulated + simulated);
}

function byCost(one: Compared, other: Compared): number {
  if (one.cost === other.cost) return other.requests - one.requests;
  return one.cost < other.cost ? 1 : -1;
}

function comparedItem({ requests, cost, simulated }: Compared) {
  return { requests, cost: usdOf(cost), simulated_cost: usdOf(simulated) };
}
