import { moneyOfUnits } from '../../model/pricing/money.ts';
import type { Spend } from '../../model/record/spend.ts';
import type { Absorption, BatchRecord, KnownRecord, OncePlan } from './plan.ts';

/** What a call was counted with when another record told of it. `all`: nothing of this one counts. */
export type CountedBefore = Spend | 'all';

/** What records of a batch need not count, by their index: a stored record of the same call has counted it. */
export function countedBefore({ absorptions }: Pick<OncePlan, 'absorptions'>): ReadonlyMap<number, CountedBefore> {
  const counted = new Map<number, CountedBefore>();
  for (const absorption of absorptions) {
    const [record, before] = beforeOf(absorption);
    if (record === undefined || before === undefined) continue;
    const known = counted.get(record.index);
    counted.set(record.index, before === 'all' || known === 'all' ? 'all' : known === undefined ? before : sumOf(known, before));
  }
  return counted;
}

/** Counters never fall: what a stored record was counted with stays, and of the numbers that the call has in the end counts what is more. */
function beforeOf({ from, into, hasNumbers }: Absorption): readonly [record: BatchRecord | undefined, before: CountedBefore | undefined] {
  if (isOfBatch(from)) return [from, hasNumbers ? into.spend : 'all'];
  return isOfBatch(into) ? [into, hasNumbers ? 'all' : from.spend] : [undefined, undefined];
}

function isOfBatch(record: KnownRecord): record is BatchRecord {
  return 'index' in record;
}

function sumOf(one: Spend, other: Spend): Spend {
  return {
    ...one,
    cost: one.cost === null ? other.cost : moneyOfUnits(one.cost + (other.cost ?? 0n)),
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
