/** A pair of places of the same value. */
export type Pair = readonly [left: number, right: number];

/**
 * The longest order of values that two lists have in common. Where what lies between the same beginning and the same end is too much to
 * compare, nothing in between is common.
 *
 * @param most Products of both lengths up to which it is compared.
 */
export function commonOrder(left: readonly string[], right: readonly string[], most: number): readonly Pair[] {
  const shortest = Math.min(left.length, right.length);
  let start = 0;
  while (start < shortest && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shortest - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  const [leftEnd, rightEnd] = [left.length - end, right.length - end];
  const between = (leftEnd - start) * (rightEnd - start) > most ? [] : longest(left.slice(start, leftEnd), right.slice(start, rightEnd));
  return [
    ...Array.from({ length: start }, (_none, at): Pair => [at, at]),
    ...between.map(([one, other]): Pair => [one + start, other + start]),
    ...Array.from({ length: end }, (_none, at): Pair => [leftEnd + at, rightEnd + at]),
  ];
}

function longest(left: readonly string[], right: readonly string[]): readonly Pair[] {
  const width = right.length + 1;
  // How many are common from both places on.
  const lengths = new Uint32Array((left.length + 1) * width);
  const lengthAt = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = left.length - 1; one >= 0; one -= 1) {
    for (let other = right.length - 1; other >= 0; other -= 1) {
      lengths[one * width + other] =
        left[one] === right[other] ? lengthAt(one + 1, other + 1) + 1 : Math.max(lengthAt(one + 1, other), lengthAt(one, other + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let one = 0, other = 0; one < left.length && other < right.length;) {
    if (left[one] === right[other]) {
      pairs.push([one, other]);
      [one, other] = [one + 1, other + 1];
    } else if (lengthAt(one + 1, other) >= lengthAt(one, other + 1)) one += 1;
    else other += 1;
  }
  return pairs;
}
