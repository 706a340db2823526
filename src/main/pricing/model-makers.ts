import type { MakerOfModel } from '../../gateway/routing/by-model.ts';
import type { AddressedProvider } from '../../model/vocabulary/providers.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { providerNamed } from '../../providers/registry.ts';

/** Who makes models, those first whose models others list too. Who only serves what others make is none of them. */
const makers: readonly AddressedProvider[] = ['anthropic', 'gemini', 'mistral', 'deepseek', 'xai', 'cohere', 'perplexity'];

/** Starts of names that only one maker gives: its next model is not in the book yet. */
const ownStarts: readonly (readonly [start: string, maker: AddressedProvider])[] = [
  ['claude-', 'anthropic'],
  ['gemini-', 'gemini'],
];

/** Names that are remembered before all are forgotten. A caller may send any. */
const maxRemembered = 1000;

/** Knows by the book of prices who makes a model that OpenAI does not have. */
export function makeMakerOf(book: PriceBook, now: () => number): MakerOfModel {
  const remembered = new Map<string, AddressedProvider | undefined>();
  const lists = (maker: AddressedProvider, model: string): boolean => {
    const providerId = providerNamed(maker)?.priceProviderId;
    return providerId !== undefined && book.find(providerId, model, now()) !== undefined;
  };
  const find = (model: string): AddressedProvider | undefined => {
    // A fine-tuned model of OpenAI's has the name of its owner in it, which no list has.
    if (model.startsWith('ft:') || lists('openai', model)) return undefined;
    return makers.find((maker) => lists(maker, model)) ?? ownStarts.find(([start]) => model.startsWith(start))?.[1];
  };
  return (model) => {
    const known = remembered.get(model);
    if (known !== undefined || remembered.has(model)) return known;
    if (remembered.size >= maxRemembered) remembered.clear();
    const maker = find(model);
    remembered.set(model, maker);
    return maker;
  };
}
