import type { Dimension } from './dimensions.ts';
import type { GroupKey } from './groups.ts';

/** Series colours of kinds of failure: none is green. */
const failureColors = [9, 2, 4, 7, 3, 10, 6, 8] as const;

/** Those that kinds have got, for as long as the page is open: in another range or search a kind keeps its own. */
const given = new Map<string, number>();

/** The colour of a group in charts and beside its name. @param index among the groups, which decides on all but kinds of failure. */
export function groupColor(by: readonly Dimension[], key: GroupKey, index: number): number {
  if (by.length !== 1 || by[0] !== 'failure_type') return index + 1;
  return failureColor(String(key[0] ?? ''));
}

/** The name decides, unless another kind has that colour already and one is left. */
function failureColor(kind: string): number {
  const known = given.get(kind);
  if (known !== undefined) return known;
  const first = sumOf(kind) % failureColors.length;
  const inOrder = [...failureColors.slice(first), ...failureColors.slice(0, first)];
  const taken = new Set(given.values());
  const color = inOrder.find((one) => !taken.has(one)) ?? inOrder[0] ?? failureColors[0];
  given.set(kind, color);
  return color;
}

function sumOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum;
}
