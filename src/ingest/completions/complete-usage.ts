import type { BilledRequest } from '../../model/record/billed-request.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import { type CompletedSpend, spendOf } from '../../model/record/spend.ts';
import type { Observe } from '../../model/observation.ts';
import { responseKeyOf, type UsageCompletion } from '../../model/record/usage-completion.ts';
import { completedCost, completedSpending } from '../../pricing/completed-cost.ts';
import type { Pricing } from '../../pricing/explain-cost.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { UsageRows } from '../../store/update/complete-usage.ts';
import type { InterpretedBatch } from '../batch/results.ts';
import type { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';
import type { BudgetSettlement, SettleBudgets } from '../interpret/settlement.ts';

/**
 * Adds the usage from a later read to the record of its call; idempotent.
 * @returns false where the store has no record of the call. @throws when the store fails.
 */
export type CompleteUsage = (completion: UsageCompletion) => Promise<boolean>;

export interface CompleteUsagePorts {
  readonly rows: UsageRows;
  readonly settleBudgets: SettleBudgets;
  readonly pricingOf: (organizationId: OrganizationId, request: BilledRequest) => Pricing;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
  /** Called at most once for each record, when it has its usage. */
  readonly onCompleted: (organizationId: OrganizationId, completed: CompletedSpend) => void;
}

const dayMs = 24 * 60 * 60_000;
/** Max age of a call whose response does not state its start. */
const maxAgeMs = 30 * dayMs;
/** The author in the history of changes: no key requested this one. */
const completedBy = 'gateway';

export function makeCompleteUsage(ports: CompleteUsagePorts): CompleteUsage {
  const { rows, pricingOf, now } = ports;
  return async (completion) => {
    const {
      organizationId,
      provider,
      responseId,
      origin = '',
      credentialHash = '',
      usage,
      bills,
      reportedCost,
      outputPreview = '',
    } = completion;
    // A read that an earlier version left waiting.
    if (credentialHash === '') return false;
    const before = await rows.find({ organizationId, provider, responseId, origin, credentialHash, ...timeRangeOf(completion) });
    if (before === undefined) return false;
    if (!before.awaitsUsage) return true;
    // What the call stated stays.
    const responseModel = before.billed.responseModel || completion.model;
    const serviceTier = isServed(before.billed.serviceTier) ? before.billed.serviceTier : completion.serviceTier;
    const billed = { ...before.billed, usage, responseModel, serviceTier };
    const reported = { bills, stated: reportedCost === null ? null : (parseMoney(reportedCost) ?? null) };
    const pricing = pricingOf(organizationId, billed);
    const amount = completedSpending(billed, reported, pricing);
    // First: a repetition finds no record that awaits usage. Settling is idempotent.
    if (amount !== undefined) await settle({ organizationId, requestId: before.requestId, amount }, ports);
    const cost = completedCost(billed, reported, pricing);
    const acceptedAt = now();
    await rows.complete({ organizationId, before, usage, responseModel, serviceTier, cost, outputPreview, acceptedAt, keyId: completedBy });
    ports.onCompleted(organizationId, {
      before: spendOf({ ...before.billed, model: modelOf(before.billed) }),
      now: spendOf({ ...billed, model: modelOf(billed), cost: cost === undefined ? before.billed.cost : cost.cost }),
    });
    return true;
  };
}

/** Before it is served, a response has the tier that was requested: `auto` leaves the choice to the provider. */
function isServed(tier: string): boolean {
  return tier !== '' && tier !== 'auto';
}

/** As the record names it. */
function modelOf({ modelOverride, responseModel, requestModel }: BilledRequest): string {
  return [modelOverride, responseModel, requestModel].find((name) => name !== '') ?? 'unknown';
}

/** A failed settlement leaves the reservation counted in full and delays nothing. */
async function settle(settlement: BudgetSettlement, { settleBudgets, observe }: CompleteUsagePorts): Promise<void> {
  try {
    await settleBudgets([settlement]);
  } catch (error) {
    observe({ kind: 'limits_failed', reason: messageOf(error) });
  }
}

/** A provider's clock may differ from ours by less than a day; a time beyond that is ignored. */
function timeRangeOf({ askedAt, begunAt }: UsageCompletion): { readonly from: number; readonly to: number } {
  const isLikely = begunAt !== null && begunAt >= askedAt - maxAgeMs && begunAt <= askedAt + dayMs;
  return isLikely ? { from: begunAt - dayMs, to: begunAt + dayMs } : { from: askedAt - maxAgeMs, to: askedAt + dayMs };
}

/** Max reads that wait for the record of their call, and max characters of each in the checkpoint, usually a few hundred. */
export const maxWaiting = 256;
const maxCharacters = 16 * 1024;

interface CompletionPorts {
  readonly completeUsage: CompleteUsage;
  readonly inFlight: ExchangeIndex;
  /** The exchanges of the batch. */
  readonly exchanges: readonly TrackedExchange[];
  readonly observe: Observe;
}

/**
 * Completes records with the reads of a batch, once the store has its records and before it is accepted: a crash in between repeats the
 * batch and this. A read may be stored before its call, which another worker recorded; then it waits in the checkpoint that accepts its
 * batch.
 * @param waiting of earlier batches. @returns those that wait from now on. @throws when the store fails.
 */
export async function completeUsages(
  { completions, awaited }: Pick<InterpretedBatch, 'completions' | 'awaited'>,
  waiting: readonly UsageCompletion[],
  { completeUsage, inFlight, exchanges, observe }: CompletionPorts,
): Promise<readonly UsageCompletion[]> {
  if (completions.length === 0 && waiting.length === 0) return waiting;
  const completed = new Set<string>();
  const candidates = new Map<string, UsageCompletion>();
  // A call is older than its read: once no older exchange is in flight, its record cannot come any more.
  const oldest = waiting.length === 0 ? Number.POSITIVE_INFINITY : inFlight.oldestBeside(new Set(exchanges));
  const hopeless = waiting.filter((earlier) => !awaited.has(responseKeyOf(earlier)) && oldest > earlier.askedAt);
  if (hopeless.length > 0) observe({ kind: 'usage_not_completed', reads: hopeless.length, reason: withoutCall });
  const dropped = new Set(hopeless);
  for (const earlier of waiting) if (!dropped.has(earlier)) candidates.set(responseKeyOf(earlier), earlier);
  for (const completion of completions) candidates.set(responseKeyOf(completion), completion);
  const isNew = new Set(completions);
  for (const [key, completion] of candidates) {
    if (!isNew.has(completion) && !awaited.has(key)) continue;
    if (await isCompleted(completion, completeUsage, observe)) completed.add(key);
  }
  const remaining = [...candidates].flatMap(([key, completion]) => (completed.has(key) ? [] : [completion]));
  const kept = withinBudget(remaining.filter(isStorable));
  const reads = remaining.length - kept.length;
  if (reads > 0) observe({ kind: 'usage_not_completed', reads, reason: 'too many or too large reads wait for the records of their calls' });
  return kept;
}

const withoutCall = 'no call that they may complete is on record: none was made here, or at another address or with another credential';

/** Leaves out the oldest of whichever organisation has most, until there is room: none takes the room of the others. */
function withinBudget(reads: readonly UsageCompletion[]): readonly UsageCompletion[] {
  if (reads.length <= maxWaiting) return reads;
  const byOrganization = new Map<OrganizationId, UsageCompletion[]>();
  for (const read of reads) {
    const own = byOrganization.get(read.organizationId);
    if (own === undefined) byOrganization.set(read.organizationId, [read]);
    else own.push(read);
  }
  const all = [...byOrganization.values()];
  for (let over = reads.length - maxWaiting; over > 0; over -= 1) {
    all.reduce((most, own) => (own.length > most.length ? own : most)).shift();
  }
  const kept = new Set(all.flat());
  return reads.filter((read) => kept.has(read));
}

function isStorable(completion: UsageCompletion): boolean {
  try {
    return JSON.stringify(completion).length <= maxCharacters;
  } catch {
    // JSON that can be parsed may be nested too deeply to stringify.
    return false;
  }
}

/**
 * Throws while the store is unavailable, so that the batch waits as it does for records. Other failures delay nothing: a further read
 * brings the same usage.
 */
async function isCompleted(completion: UsageCompletion, completeUsage: CompleteUsage, observe: Observe): Promise<boolean> {
  try {
    return await completeUsage(completion);
  } catch (error) {
    if (!(error instanceof GatelogError) || error.code === 'store_unavailable') throw error;
    observe({ kind: 'usage_not_completed', reads: 1, reason: failureText(error) });
    return true;
  }
}
