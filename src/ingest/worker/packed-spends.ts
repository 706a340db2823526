import { moneyOfUnits } from '../../model/pricing/money.ts';
import type { Spend } from '../../model/record/spend.ts';

/** What calls have used, as it crosses from the interpreter's thread: names once, and numbers. */
export interface PackedSpends {
  readonly names: readonly (readonly [provider: string, model: string])[];
  /** For each exchange: number of its names from 1 (0: it has no spend), cost in two parts (NaN: not known), tokens of each kind, seconds. */
  readonly numbers: Float64Array;
}

const numbersPerSpend = 8;
/** Bits of a cost in its lower part. */
const lowerBits = 53;

export class SpendPacker {
  private readonly names: (readonly [string, string])[] = [];
  private readonly indexes = new Map<string, Map<string, number>>();
  private readonly numbers: Float64Array;

  /** @param count of the exchanges, or more. */
  constructor(count: number) {
    this.numbers = new Float64Array(count * numbersPerSpend);
  }

  add(index: number, spend: Spend): void {
    const { numbers } = this;
    const { provider, model, cost, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, audioSeconds = 0 } = spend;
    const at = index * numbersPerSpend;
    numbers[at] = this.indexOf(provider, model);
    numbers[at + 1] = cost === null ? Number.NaN : Number(cost >> BigInt(lowerBits));
    numbers[at + 2] = cost === null ? Number.NaN : Number(BigInt.asUintN(lowerBits, cost));
    numbers[at + 3] = inputTokens;
    numbers[at + 4] = cacheReadTokens;
    numbers[at + 5] = cacheWriteTokens;
    numbers[at + 6] = outputTokens;
    numbers[at + 7] = audioSeconds;
  }

  packed(): PackedSpends {
    return { names: this.names, numbers: this.numbers };
  }

  private indexOf(provider: string, model: string): number {
    let ofProvider = this.indexes.get(provider);
    if (ofProvider === undefined) this.indexes.set(provider, (ofProvider = new Map<string, number>()));
    let index = ofProvider.get(model);
    if (index === undefined) {
      index = this.names.push([provider, model]);
      ofProvider.set(model, index);
    }
    return index;
  }
}

export function spendAt({ names, numbers }: PackedSpends, index: number): Spend | undefined {
  const own = numbers.subarray(index * numbersPerSpend, (index + 1) * numbersPerSpend);
  const [nameIndex = 0, upper = 0, lower = 0, inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0, seconds = 0] =
    own;
  const named = names[nameIndex - 1];
  if (named === undefined) return undefined;
  const [provider, model] = named;
  const cost = Number.isNaN(upper) ? null : moneyOfUnits((BigInt(upper) << BigInt(lowerBits)) + BigInt(lower));
  return { provider, model, cost, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, audioSeconds: seconds };
}
