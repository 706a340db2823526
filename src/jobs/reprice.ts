import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BilledRequest, StatedCost } from '../model/record/billed-request.ts';
import type { OrganizationId } from '../model/ids.ts';
import { type Money, moneyOfUnits, zeroMoney } from '../model/pricing/money.ts';
import type { Principal } from '../model/principal.ts';
import type { CostDifference, RepricedRequest, RepriceReport } from '../model/record/reprice.ts';
import type { ChangeStoredCosts, CostChange } from '../store/update/change-costs.ts';

export interface RepricePorts {
  /** The cost of a request at current prices; undefined when its cost stays. */
  readonly recompute: (organizationId: OrganizationId, request: BilledRequest) => StatedCost | undefined;
  readonly changeStoredCosts: ChangeStoredCosts;
  /** The time and number of a change that is accepted now. */
  readonly stamp: () => { readonly acceptedAt: number; readonly number: number };
}

/** Requests per tick of the event loop: some milliseconds. */
const requestsPerTick = 100;

/**
 * Recomputes the costs of stored requests and writes the changed ones; repeatable. @param isTrial writes nothing. @throws GatelogError
 * when prices cannot be read or the store fails.
 */
export async function repriceRequests(
  ports: RepricePorts,
  { organizationId, keyId }: Principal,
  requests: readonly RepricedRequest[],
  isTrial: boolean,
): Promise<RepriceReport> {
  const { acceptedAt } = ports.stamp();
  const changes: CostChange[] = [];
  const tally = new Tally();
  for (const [index, request] of requests.entries()) {
    if (index % requestsPerTick === requestsPerTick - 1) await nextTurn();
    const { requestId, billed } = request;
    const after = ports.recompute(organizationId, billed);
    tally.add(request, after);
    if (after === undefined || isSame(billed, after)) continue;
    changes.push({ requestId, createdAt: billed.createdAt, before: billed.cost, after, number: ports.stamp().number });
  }
  if (!isTrial) await ports.changeStoredCosts({ organizationId, keyId, acceptedAt, changes });
  return tally.report();
}

/** A price with the same result is written too, so that the explanation names it. */
function isSame(before: StatedCost, after: StatedCost): boolean {
  return before.cost === after.cost && before.priceReference === after.priceReference && before.appliedPrice === after.appliedPrice;
}

const noDifference: CostDifference = { changed: 0, before: zeroMoney, after: zeroMoney };

class Tally {
  private checked = 0;
  private stated = 0;
  private total = noDifference;
  private readonly byModel = new Map<string, CostDifference>();

  add({ model, billed }: RepricedRequest, after: StatedCost | undefined): void {
    this.checked += 1;
    if (after === undefined) this.stated += 1;
    else if (billed.cost !== after.cost) {
      this.total = withCosts(this.total, billed.cost, after.cost);
      this.byModel.set(model, withCosts(this.byModel.get(model) ?? noDifference, billed.cost, after.cost));
    }
  }

  report(): RepriceReport {
    const { checked, stated, total, byModel } = this;
    return { checked, stated, total, byModel };
  }
}

function withCosts(sum: CostDifference, before: Money | null, after: Money | null): CostDifference {
  return {
    changed: sum.changed + 1,
    before: moneyOfUnits(sum.before + (before ?? zeroMoney)),
    after: moneyOfUnits(sum.after + (after ?? zeroMoney)),
  };
}
