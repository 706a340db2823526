import { type Money, moneyOfUnits, moneyText, parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import type { RecordFigures } from './item.ts';

/** What one side holds of a day. */
export interface SideTally {
  requests: number;
  tokens: number;
  cost: Money;
  /** Requests without a cost. */
  unpriced: number;
}

/** Why the sides of a day may differ; `already` and `bodiesMissing` do not change its sums. */
export const differences = {
  rejected: 'rejected',
  missing: 'not found here',
  costDiffers: 'with another cost here',
  tokensDiffer: 'with other token counts here',
  fieldsDiffer: 'with other properties or scores here',
  bodiesMissing: 'without bodies',
} as const;
export type Difference = keyof typeof differences;

export interface DayTally {
  readonly there: SideTally;
  readonly here: SideTally;
  /** Added here by this import. */
  imported: number;
  /** Here before. */
  already: number;
  readonly counts: Record<Difference, number>;
  /** What the other side itself counts; null when it did not say or was not asked. */
  counted: number | null;
  /** By sentence. */
  readonly reasons: Record<string, Reason>;
}

/** Requests that share a reason. */
export interface Reason {
  readonly count: number;
  /** The first few. */
  readonly requestIds: readonly string[];
}

const maxReasonsOfDay = 20;
const maxIds = 5;
const otherReasons = 'Other reasons; the file of rejected records has each.';

/** Sums by day (UTC) of an import, and the reasons for what differs. */
export class Tally {
  readonly days = new Map<string, DayTally>();

  of(day: string): DayTally {
    const known = this.days.get(day);
    if (known !== undefined) return known;
    const made = emptyDay();
    this.days.set(day, made);
    return made;
  }

  /** A day is counted again. What this import added to it before is then here already, and is still its own. */
  restart(day: string, isDryRun: boolean): void {
    const imported = isDryRun ? 0 : this.of(day).imported;
    this.days.set(day, { ...emptyDay(), imported, already: 0 - imported });
  }

  total(): DayTally {
    const total = emptyDay();
    for (const day of this.days.values()) addDay(total, day);
    return total;
  }

  toJson(): TallyJson {
    return Object.fromEntries(
      [...this.days].map(([day, tally]) => [day, { ...tally, there: sideToJson(tally.there), here: sideToJson(tally.here) }]),
    );
  }

  /** Reads what {@link toJson} wrote. */
  static fromJson(json: TallyJson): Tally {
    const tally = new Tally();
    for (const [day, written] of Object.entries(json)) {
      tally.days.set(day, { ...written, there: sideOfJson(written.there), here: sideOfJson(written.here) });
    }
    return tally;
  }
}

interface SideJson extends Omit<SideTally, 'cost'> {
  readonly cost: string;
}

function sideToJson({ cost, ...rest }: SideTally): SideJson {
  return { ...rest, cost: moneyText(cost) };
}

function sideOfJson(side: SideJson): SideTally {
  return { ...side, cost: parseMoney(side.cost) ?? zeroMoney };
}

export type TallyJson = Readonly<Record<string, Omit<DayTally, 'there' | 'here'> & { readonly there: SideJson; readonly here: SideJson }>>;

export function addReason({ reasons }: DayTally, sentence: string, requestId: string | null): void {
  const isListed = Object.hasOwn(reasons, sentence) || Object.keys(reasons).length < maxReasonsOfDay;
  mergeReason(reasons, isListed ? sentence : otherReasons, { count: 1, requestIds: requestId === null ? [] : [requestId] });
}

function mergeReason(reasons: Record<string, Reason>, sentence: string, { count, requestIds }: Reason): void {
  const known = reasons[sentence];
  const ids = [...new Set([...(known?.requestIds ?? []), ...requestIds])].slice(0, maxIds);
  reasons[sentence] = { count: (known?.count ?? 0) + count, requestIds: ids };
}

export function addFigures(side: SideTally, { tokens, cost }: RecordFigures): void {
  side.requests += 1;
  side.tokens += tokens;
  if (cost === null) side.unpriced += 1;
  else side.cost = moneyOfUnits(side.cost + cost);
}

function emptySide(): SideTally {
  return { requests: 0, tokens: 0, cost: zeroMoney, unpriced: 0 };
}

function emptyDay(): DayTally {
  const counts = Object.fromEntries(Object.keys(differences).map((name) => [name, 0])) as Record<Difference, number>;
  return { there: emptySide(), here: emptySide(), imported: 0, already: 0, counts, counted: null, reasons: {} };
}

function addDay(total: DayTally, day: DayTally): void {
  for (const side of ['there', 'here'] as const) {
    total[side].requests += day[side].requests;
    total[side].tokens += day[side].tokens;
    total[side].unpriced += day[side].unpriced;
    total[side].cost = moneyOfUnits(total[side].cost + day[side].cost);
  }
  total.imported += day.imported;
  total.already += day.already;
  if (day.counted !== null) total.counted = (total.counted ?? 0) + day.counted;
  for (const name of Object.keys(differences) as Difference[]) total.counts[name] += day.counts[name];
  for (const [sentence, reason] of Object.entries(day.reasons)) mergeReason(total.reasons, sentence, reason);
}
