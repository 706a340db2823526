import type { SeededRandom } from '../base/seeded-random.ts';

export interface Product {
  readonly name: string;
  readonly words: string;
}

const products = [
  { name: 'Alva desk lamp', words: 'small desk lamp with a warm white bulb e27 and a narrow foot' },
  { name: 'Brisa ceiling lamp', words: 'ceiling lamp of paper for a bulb e27, warm white' },
  { name: 'Corda floor lamp', words: 'floor lamp with a dimmer and a reading light' },
  { name: 'Duna reading lamp', words: 'small reading lamp that clips on to a shelf or a bed' },
  { name: 'Esker wall light', words: 'outdoor wall light with a sensor, IP44' },
  { name: 'Fanal garden light', words: 'outdoor light with a sensor and a solar panel' },
  { name: 'Fjell table', words: 'oak table, 120 cm, for four' },
  { name: 'Fjell long table', words: 'oak table, 180 cm, for eight' },
  { name: 'Grid shelf', words: 'shelf without drilling, stands between floor and ceiling' },
  { name: 'Hylla shelf', words: 'wall shelf of oak, 80 cm, with two brackets' },
  { name: 'Halden sofa', words: 'sofa for two with a washable cover' },
  { name: 'Halden sofa bed', words: 'sofa for three with a washable cover that folds out to a bed' },
  { name: 'Isla chair', words: 'low chair that fits under a low table' },
  { name: 'Isla stool', words: 'stool that fits under a desk' },
  { name: 'Jord plant pot', words: 'pot of clay, 24 cm, frost proof' },
  { name: 'Kant mirror', words: 'round mirror, 60 cm, with an oak frame' },
  { name: 'Lysa bulb', words: 'bulb e27, warm white, 2700 kelvin, can be dimmed' },
  { name: 'Lysa bulb cool', words: 'bulb e27, neutral white, 4000 kelvin' },
  { name: 'Moln pendant', words: 'pendant of glass for a bulb e14 above a table' },
  { name: 'Nord coat rack', words: 'coat rack without drilling, leans on the wall' },
] as const satisfies readonly Product[];

export const queries = [
  'lamp for a small desk',
  'oak table 120 cm',
  'low chair for a low table',
  'outdoor light with sensor',
  'shelf without drilling',
  'bulb e27 warm white',
  'sofa for two with washable cover',
  'reading lamp for the bed',
  'long oak table for eight',
  'round mirror with oak frame',
] as const;

/** Words that say nothing of a product. */
const small: ReadonlySet<string> = new Set(['for', 'the', 'with', 'and', 'that', 'without', 'cm', 'a', 'of', 'to']);

function matches(query: string, { name, words }: Product): number {
  const told = `${name} ${words}`.toLowerCase().split(/[^a-z0-9]+/);
  return query.split(' ').filter((word) => !small.has(word) && told.includes(word)).length;
}

/** Products that a search found, so that one of them answers the query. */
export function hitsOf(random: SeededRandom, query: string, count: number): readonly Product[] {
  const best = products.toSorted((one, other) => matches(query, other) - matches(query, one))[0] ?? products[0];
  const at = random.between(0, Math.min(count, 9) - 1);
  return Array.from({ length: count }, (_, index) => (index === at ? best : random.pick<Product>(products)));
}

/** @param isLong with more to read, which helps nobody. */
export function productLine({ name, words }: Product, isLong: boolean): string {
  const line = `${name}: ${words}`;
  return isLong
    ? `${line}. In stock, delivered within two to four days, thirty days to return it, two years of warranty. Customers who looked at ${name} also looked at other articles of the same series.`
    : line;
}

/** Numbers of the products that have most in common with the query, at most five, the best first. */
export function rankedNumbers(query: string, listed: readonly Product[]): readonly number[] {
  return listed
    .map((product, index) => ({ number: index + 1, score: matches(query, product) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.number - other.number)
    .slice(0, 5)
    .map(({ number }) => number);
}

/** Queries that begin like that, and then products with such a word. */
export function suggestionsOf(typed: string): readonly string[] {
  const begun = queries.filter((query) => query.startsWith(typed));
  const [first = ''] = typed.split(' ');
  const like = products.filter(({ name, words }) => `${name} ${words}`.toLowerCase().includes(first)).map(({ name }) => name);
  return [...begun, ...like].slice(0, 3);
}
