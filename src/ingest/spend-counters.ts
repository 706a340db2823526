import type { OrganizationId } from '../model/ids.ts';
import { type Money, moneyOfUnits, moneyText } from '../model/pricing/money.ts';
import { type CompletedSpend, noProvider, type Spend } from '../model/record/spend.ts';
import type { CallCounts } from '../store/read/count-calls.ts';

interface HowCounted {
  /** A later read may bring its usage. */
  readonly isAwaited: boolean;
  /** The call was counted with this before; only what is more counts now. */
  readonly before?: Spend | undefined;
}

/** Sets of labels, all together and of one organisation. Each set has {@link spendFamilies}' series. */
export const spendLimits = { sets: 1000, setsOfOrganization: 100, nameCharacters: 128 } as const;

const dayMs = 86_400_000;
const none: CallCounts = { known: 0, unknown: 0 };

/** The name of what has no set of its own. */
const other = 'other';

const tokenKinds = ['input', 'cache_read', 'cache_write', 'output'] as const;

interface SpendFamily {
  readonly name: `gatelog_${string}`;
  readonly help: string;
  /** Beside `organization`, `provider` and `model`. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

const requests: SpendFamily = {
  name: 'gatelog_recorded_requests_total',
  help: `Calls that were recorded; those of provider ${noProvider} the gateway refused.`,
};
const unpriced: SpendFamily = {
  name: 'gatelog_unpriced_requests_total',
  help: 'Recorded calls without a known cost, failed ones among them, those not whose usage a later read may bring.',
};
const cost: SpendFamily = { name: 'gatelog_cost_usd_total', help: 'Cost of recorded calls in US dollars, exact to 12 decimals.' };
const tokens: SpendFamily = {
  name: 'gatelog_tokens_total',
  help: 'Tokens of recorded calls. Each is of one kind: input is what no cache of the provider had to do with.',
  labels: { kind: tokenKinds },
};

export const spendFamilies: readonly SpendFamily[] = [requests, unpriced, cost, tokens];

interface Sums {
  /** As they are written. */
  readonly labels: string;
  requests: bigint;
  unpriced: bigint;
  /** 10⁻¹² USD. */
  cost: bigint;
  readonly tokens: [input: bigint, cacheRead: bigint, cacheWrite: bigint, output: bigint];
}

/**
 * What stored calls have used, by organisation, provider and model. It begins at nothing with the process, but for the calls of today. Sums
 * are whole numbers of any size, so that they are exact and only rise.
 */
export class SpendCounters {
  private readonly organizations = new Map<OrganizationId, Map<string, Sums>>();
  private readonly rest = newSums({ organization: other, provider: other, model: other });
  private sets = 0;
  private day: number;
  private today: CallCounts;
  private readonly now: () => number;

  /** @param now Unix milliseconds. @param today calls of today that were stored before this start. */
  constructor(now: () => number = Date.now, today: CallCounts = none) {
    this.now = now;
    this.day = dayOf(now());
    this.today = today;
  }

  /**
   * Calls that were stored since midnight (UTC), by whether their cost is known. Of those without one count those with tokens or seconds of a
   * recording: any other has failed, or no price would give it a cost.
   */
  callsToday(): CallCounts {
    const day = dayOf(this.now());
    if (day !== this.day) {
      this.day = day;
      this.today = none;
    }
    return this.today;
  }

  /**
   * Counts a call: one whose cost a later read may bring does not count as unpriced, and of one that was counted before, by a record that it
   * has replaced, counts what is more.
   */
  count(organizationId: OrganizationId, spend: Spend, { isAwaited = false, before }: Partial<HowCounted> = {}): void {
    const sums = this.sumsOf(organizationId, spend);
    if (before !== undefined) {
      addSpend(sums, moreThan(before, spend));
      return;
    }
    sums.requests += 1n;
    if (spend.cost === null && !isAwaited) sums.unpriced += 1n;
    addSpend(sums, spend);
    if (!isAwaited) this.countToday(spend);
  }

  private countToday(spend: Spend): void {
    if (spend.cost === null && !isBilled(spend)) return;
    const { known: priced, unknown } = this.callsToday();
    this.today = spend.cost === null ? { known: priced, unknown: unknown + 1 } : { known: priced + 1, unknown };
  }

  /** Counts what has become known of a call that was counted already. */
  complete(organizationId: OrganizationId, { before, now }: CompletedSpend): void {
    const sums = this.sumsOf(organizationId, now);
    if (now.cost === null) sums.unpriced += 1n;
    this.countToday(now);
    addSpend(sums, moreThan(before, now));
  }

  /** In Prometheus' text format. */
  page(): string {
    const all = [...[...this.organizations.values()].flatMap((sets) => [...sets.values()]), this.rest];
    const counted = all.filter((sums) => sums !== this.rest || isUsed(sums));
    if (counted.length === 0) return '';
    return [
      familyText(requests, counted, (sums) => [['', String(sums.requests)]]),
      familyText(unpriced, counted, (sums) => [['', String(sums.unpriced)]]),
      familyText(cost, counted, (sums) => [['', moneyText(moneyOfUnits(sums.cost))]]),
      familyText(tokens, counted, (sums) => tokenKinds.map((kind, index) => [`,kind="${kind}"`, String(sums.tokens[index])])),
    ].join('');
  }

  private sumsOf(organizationId: OrganizationId, { provider, model }: Spend): Sums {
    let sets = this.organizations.get(organizationId);
    const named = { provider: labelName(provider), model: labelName(model) };
    const known = sets?.get(keyOf(named));
    if (known !== undefined) return known;
    // The last set of an organisation is that of all its other models, and of a model that is named so.
    const labels = (sets?.size ?? 0) >= spendLimits.setsOfOrganization - 1 ? restNames : named;
    const rest = labels === restNames ? sets?.get(keyOf(restNames)) : undefined;
    if (rest !== undefined) return rest;
    if (this.sets >= spendLimits.sets - 1) return this.rest;
    if (sets === undefined) this.organizations.set(organizationId, (sets = new Map<string, Sums>()));
    const made = newSums({ organization: organizationId, ...labels });
    sets.set(keyOf(labels), made);
    this.sets += 1;
    return made;
  }
}

/** Midnight (UTC) before a time, both Unix milliseconds. */
export function midnightBefore(at: number): number {
  return dayOf(at) * dayMs;
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

function isBilled({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, audioSeconds = 0 }: Spend): boolean {
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens + audioSeconds > 0;
}

interface SetNames {
  readonly provider: string;
  readonly model: string;
}

const restNames: SetNames = { provider: other, model: other };

/** A name as its label has it, so that no two sets have the same labels. A cut may leave half a character. */
function labelName(text: string): string {
  return text.slice(0, spendLimits.nameCharacters).toWellFormed();
}

function keyOf({ provider, model }: SetNames): string {
  return `${provider.length} ${provider}${model}`;
}

function newSums(labels: Readonly<Record<string, string>>): Sums {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return { labels: written.join(','), requests: 0n, unpriced: 0n, cost: 0n, tokens: [0n, 0n, 0n, 0n] };
}

/** What one tells beyond the other; less than nothing where it tells less. */
function moreThan(before: Spend, now: Spend): Omit<Spend, 'provider' | 'model' | 'audioSeconds'> {
  return {
    cost: now.cost === null ? null : moneyOfUnits(now.cost - positive(before.cost)),
    inputTokens: now.inputTokens - before.inputTokens,
    cacheReadTokens: now.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: now.cacheWriteTokens - before.cacheWriteTokens,
    outputTokens: now.outputTokens - before.outputTokens,
  };
}

/** A caller may state less than nothing, and a counter never falls. */
function addSpend(sums: Sums, spend: Omit<Spend, 'provider' | 'model' | 'audioSeconds'>): void {
  sums.cost += positive(spend.cost);
  sums.tokens[0] += integerOf(spend.inputTokens);
  sums.tokens[1] += integerOf(spend.cacheReadTokens);
  sums.tokens[2] += integerOf(spend.cacheWriteTokens);
  sums.tokens[3] += integerOf(spend.outputTokens);
}

function positive(amount: Money | null): bigint {
  return amount !== null && amount > 0n ? amount : 0n;
}

function isUsed({ requests: calls, unpriced: withoutCost, cost: spent, tokens: used }: Sums): boolean {
  return [calls, withoutCost, spent, ...used].some((sum) => sum > 0n);
}

function integerOf(count: number): bigint {
  return Number.isFinite(count) && count > 0 ? BigInt(Math.round(count)) : 0n;
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}

type Samples = readonly (readonly [labels: string, value: string])[];

function familyText({ name, help }: SpendFamily, all: readonly Sums[], samplesOf: (sums: Sums) => Samples): string {
  const lines = all.flatMap((sums) => samplesOf(sums).map(([labels, value]) => `${name}{${sums.labels}${labels}} ${value}\n`));
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines.join('')}`;
}
