import type { SeededRandom } from './seeded-random.ts';

/** The factors of a matrix with their values. */
export type Factors = Readonly<Record<string, readonly (string | number)[]>>;

export type Combination<F extends Factors> = { readonly [Name in keyof F]: F[Name][number] };

export function* everyCombination<F extends Factors>(factors: F): Generator<Combination<F>> {
  const axes = Object.entries(factors);
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  for (let index = 0; index < count; index += 1) {
    let rest = index;
    const chosen = axes.map(([name, values]) => {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return [name, value];
    });
    yield Object.fromEntries(chosen) as Combination<F>;
  }
}

const candidatesTried = 40;

/**
 * Combinations in which any two values of two factors occur together at least once: they find any fault that needs two circumstances with
 * a hundredth of all combinations. Each is the best of some random candidates that contain a missing pair.
 */
export function pairwise<F extends Factors>(factors: F, random: SeededRandom): Combination<F>[] {
  const axes = Object.entries(factors);
  const missing = allPairs(axes);
  const cases: Combination<F>[] = [];
  while (missing.size > 0) {
    const [[first, second]] = [...missing.values()] as [Pair];
    let best: Record<string, string | number> = {};
    let bestGain = -1;
    for (let tried = 0; tried < candidatesTried; tried += 1) {
      const drawn = Object.fromEntries(axes.map(([name, values]) => [name, random.of(values)]));
      const candidate = { ...drawn, [first.name]: first.value, [second.name]: second.value };
      const gain = pairsOf(candidate).filter((pair) => missing.has(pair)).length;
      if (gain > bestGain) [best, bestGain] = [candidate, gain];
    }
    for (const pair of pairsOf(best)) missing.delete(pair);
    cases.push(best as Combination<F>);
  }
  return cases;
}

interface Choice {
  readonly name: string;
  readonly value: string | number;
}
type Pair = readonly [Choice, Choice];

function allPairs(axes: readonly (readonly [string, readonly (string | number)[]])[]): Map<string, Pair> {
  const choices = axes.map(([name, values]) => values.map((value): Choice => ({ name, value })));
  const pairs = choices.flatMap((left, index) =>
    choices.slice(index + 1).flatMap((right) => left.flatMap((one) => right.map((other): Pair => [one, other]))),
  );
  return new Map(pairs.map(([one, other]) => [pairKey(one, other), [one, other]]));
}

function pairsOf(combination: Readonly<Record<string, string | number>>): string[] {
  const choices = Object.entries(combination).map(([name, value]): Choice => ({ name, value }));
  return choices.flatMap((one, index) => choices.slice(index + 1).map((other) => pairKey(one, other)));
}

function pairKey(one: Choice, other: Choice): string {
  return `${one.name}=${one.value} ${other.name}=${other.value}`;
}
