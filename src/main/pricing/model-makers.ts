import type { MakerOfModel } from '../../gateway/routing/by-model.ts';
import type { AddressedProvider } from '../../model/vocabulary/providers.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { providerNamed } from '../../providers/registry.ts';

/** Providers that make models, in order of precedence. Providers that only serve others' models are left out. */
const makers: readonly AddressedProvider[] = ['anthropic', 'gemini', 'mistral', 'deepseek', 'xai', 'cohere', 'perplexity'];

/** Prefixes of names that one maker alone uses: its next model is not in the book yet. */
const ownStarts: readonly (readonly [start: string, maker: AddressedProvider])[] = [
  ['claude-', 'anthropic'],
  ['gemini-', 'gemini'],
];

/** Remembered names before the memory is cleared; callers choose the names. */
const maxRemembered = 1000;

/** Finds the maker of a model that OpenAI does not have, by the price book. */
export function makeMakerOf(book: PriceBook, now: () => number): MakerOfModel {
  const remembered = new Map<string, AddressedProvider | undefined>();
  const lists = (maker: AddressedProvider, model: string): boolean => {
    const providerId = providerNamed(maker)?.priceProviderId;
    return providerId !== undefined && book.find(providerId, model, now()) !== undefined;
  };
  const find = (model: string): AddressedProvider | undefined => {
    // The name of a fine-tuned OpenAI model contains its owner and is in no list.
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
