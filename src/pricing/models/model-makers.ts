import { type AddressedProvider, defaultProvider, providerDeclaration, modelMakers } from '../../model/providers/providers.ts';
import type { PriceBook } from '../price-book.ts';
import { providerNamed } from '../../providers/registry.ts';

/** Providers that sell the models they make, in order of precedence. */
const makers = modelMakers.filter((maker) => maker !== defaultProvider);

/** Remembered names before the memory is cleared; callers choose the names. */
const maxRemembered = 1000;

/** A maker's next model is not in the price book yet. */
function startsAsOf(maker: AddressedProvider, model: string): boolean {
  const { modelPrefix } = providerDeclaration(maker);
  return modelPrefix !== undefined && model.startsWith(modelPrefix);
}

/** Finds the maker of a model that OpenAI does not have, by the price book. */
export function makeMakerOf(book: PriceBook, now: () => number): (model: string) => AddressedProvider | undefined {
  const remembered = new Map<string, AddressedProvider | undefined>();
  const lists = (maker: AddressedProvider, model: string): boolean => {
    const providerId = providerNamed(maker)?.priceProviderId;
    return providerId !== undefined && book.find(providerId, model, now()) !== undefined;
  };
  const find = (model: string): AddressedProvider | undefined => {
    // The name of a fine-tuned OpenAI model contains its owner and is in no list.
    if (model.startsWith('ft:') || lists(defaultProvider, model)) return undefined;
    return makers.find((maker) => lists(maker, model)) ?? makers.find((maker) => startsAsOf(maker, model));
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
