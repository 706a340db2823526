import type { LimitSimulationItem } from '../../contract/simulations.ts';
import type { LimitPolicy, LimitWindow } from '../../model/limit-policy.ts';
import { unitsOfCall } from '../../model/limit-policy.ts';
import { type Money, moneyOfUnits, parseMoney, usdOf, zeroMoney } from '../../model/pricing/money.ts';
import { calendarBounds } from '../../model/time/calendar.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import type { Statement } from '../../sql/statement.ts';
import type { NumberCell } from '../requests/columns.ts';
import type { RequestsPlan } from '../requests/query.ts';
import { pageOf } from '../requests/select.ts';

/** A request as a limit sees it, as JSONEachRow returns it. */
export interface LimitedRow {
  readonly id: string;
  readonly created_ms: NumberCell;
  readonly cost_text: string | null;
  /** The user or value of the property that the limit counts apart; empty without one. */
  readonly segment: string;
}

export function limitedStatements(plan: RequestsPlan, { segment }: LimitPolicy): readonly Statement[] {
  const value = segment === undefined ? sql`''` : segment.of === 'user' ? sql`user_id` : inAnyCase(segment.name);
  return pageOf(
    plan,
    sql`id_text AS id, toUnixTimestamp64Milli(created_at) AS created_ms, toString(cost) AS cost_text, ${value} AS segment`,
  );
}

/** The value of a property whose spellings share a count, as gateways have it; empty without one. */
function inAnyCase(name: string): Fragment {
  const wanted = param(name.toLowerCase(), 'String');
  return sql`arrayElement(mapValues(properties), indexOf(arrayMap(name -> lowerUTF8(name), mapKeys(properties)), ${wanted}))`;
}

/** Segments that are shown. */
const maxSegments = 20;
/** Users and values are the callers': windows of as many are kept, and the rest counts as outside of the limit. */
const maxKnownSegments = 100_000;

interface Window {
  readonly endsAt: number;
  used: bigint;
}

interface Sum {
  requests: number;
  refused: number;
  cost: Money;
  refusedCost: Money;
}

/** Counts requests in the windows of a limit as gateways would have, in the order of their arrival. */
export class LimitTally {
  private readonly policy: LimitPolicy;
  private readonly windows = new Map<string, Window>();
  private readonly total = none();
  private readonly byDay = new Map<string, Sum>();
  private readonly bySegment = new Map<string, Sum>();
  private outside = 0;
  private withoutCost = 0;
  private first: number | undefined;

  constructor(policy: LimitPolicy) {
    this.policy = policy;
  }

  add({ created_ms: created, cost_text: text, segment }: LimitedRow): void {
    const at = Number(created);
    const cost = text === null ? null : (parseMoney(text) ?? null);
    if (!this.isCounted(segment)) {
      this.outside += 1;
      return;
    }
    if (cost === null) this.withoutCost += 1;
    const isRefused = !this.claim(segment, at, cost ?? zeroMoney);
    if (isRefused) this.first ??= at;
    const day = new Date(at).toISOString().slice(0, 'yyyy-mm-dd'.length);
    for (const sum of [this.total, entry(this.byDay, day), entry(this.bySegment, segment)]) include(sum, cost ?? zeroMoney, isRefused);
  }

  item(): LimitSimulationItem {
    const { policy, outside, withoutCost, first } = this;
    const refused = [...this.bySegment].filter(([, sum]) => sum.refused > 0).toSorted(([, one], [, other]) => other.refused - one.refused);
    return {
      policy: policy.text,
      ...sumItem(this.total),
      outside,
      without_cost: withoutCost,
      first_refused_at: first === undefined ? null : new Date(first).toISOString(),
      by_day: [...this.byDay].map(([day, sum]) => ({ day, ...sumItem(sum) })),
      segments: policy.segment === undefined ? [] : refused.slice(0, maxSegments).map(([value, sum]) => ({ value, ...sumItem(sum) })),
    };
  }

  /** A request without a user or value is in no window. */
  private isCounted(segment: string): boolean {
    if (this.policy.segment === undefined) return true;
    if (segment === '') return false;
    return this.bySegment.has(segment) || this.bySegment.size < maxKnownSegments;
  }

  /** @returns false when the rest of the window is less than it takes; nothing is counted then. */
  private claim(segment: string, at: number, cost: Money): boolean {
    const { unit, quota, window } = this.policy;
    const amount = unit === 'cents' ? cost : unitsOfCall;
    const known = this.windows.get(segment);
    const running = known === undefined || at >= known.endsAt ? { endsAt: endOf(window, at), used: 0n } : known;
    if (running.used + amount > quota) return false;
    running.used += amount;
    this.windows.set(segment, running);
    return true;
  }
}

function endOf(window: LimitWindow, at: number): number {
  return window.kind === 'fixed' ? at + window.ms : calendarBounds(window, at).endsAt;
}

function none(): Sum {
  return { requests: 0, refused: 0, cost: zeroMoney, refusedCost: zeroMoney };
}

function entry(sums: Map<string, Sum>, key: string): Sum {
  const known = sums.get(key);
  if (known !== undefined) return known;
  const fresh = none();
  sums.set(key, fresh);
  return fresh;
}

function include(sum: Sum, cost: Money, isRefused: boolean): void {
  sum.requests += 1;
  sum.cost = moneyOfUnits(sum.cost + cost);
  if (!isRefused) return;
  sum.refused += 1;
  sum.refusedCost = moneyOfUnits(sum.refusedCost + cost);
}

function sumItem({ requests, refused, cost, refusedCost }: Sum) {
  return { requests, refused, cost: usdOf(cost), refused_cost: usdOf(refusedCost) };
}
