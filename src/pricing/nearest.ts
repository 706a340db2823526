import type { Price } from './tables/price.ts';
import type { PriceBook } from './price-book.ts';

/** The listed model whose name is most like that of a model without a price. */
export interface NearestModel {
  /** The provider's name in the public list. */
  readonly providerId: string;
  readonly model: string;
  readonly price: Price;
}

/** Longer names are compared by their beginning: comparing takes the product of both lengths. */
const comparedCharacters = 64;
const commonBeginning = 3;
/** Where the model of a provider outside of the list may come from. */
const makers = ['openai', 'anthropic', 'google', 'mistral', 'deepseek', 'x-ai'] as const;

/** @param at Unix milliseconds. @returns undefined when no name is like it. */
export function nearestModel(book: PriceBook, providerId: string | undefined, model: string, at: number): NearestModel | undefined {
  const asked = model.toLowerCase().slice(0, comparedCharacters);
  let nearest: (NearestModel & { readonly distance: number }) | undefined;
  for (const id of providerId === undefined ? makers : [providerId]) {
    for (const name of book.modelsOf(id)) {
      const known = name.toLowerCase().slice(0, comparedCharacters);
      if (!known.startsWith(asked.slice(0, commonBeginning))) continue;
      const distance = editsBetween(asked, known);
      if (nearest !== undefined && !isNearer({ distance, name }, nearest)) continue;
      const price = book.find(id, name, at);
      if (price?.rates.has('input') === true) nearest = { providerId: id, model: name, price, distance };
    }
  }
  return nearest;
}

/** Of equally like ones the newest: the last in the order of their versions. */
function isNearer(
  one: { readonly distance: number; readonly name: string },
  other: { readonly distance: number; readonly model: string },
): boolean {
  if (one.distance !== other.distance) return one.distance < other.distance;
  return one.name.localeCompare(other.model, 'en', { numeric: true }) > 0;
}

/** Characters that have to be put in, taken out or replaced. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let index = 1; index <= other.length; index += 1) {
      const replaced = (row[index - 1] ?? 0) + (one[at - 1] === other[index - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
