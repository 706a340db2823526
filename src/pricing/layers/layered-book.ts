import type { PriceBook } from '../price-book.ts';

/**
 * One book of several, of which the first that has a model by any of its names decides. @param layers is called for each look-up, as the
 * operator's prices may change at any time.
 */
export function layeredBook(layers: () => readonly PriceBook[]): PriceBook {
  return {
    find: (providerId, model, at) => {
      for (const layer of layers()) {
        const price = layer.find(providerId, model, at);
        if (price !== undefined) return price;
      }
      return undefined;
    },
    *findAll(providerId, models, at) {
      for (const layer of layers()) yield* layer.findAll(providerId, models, at);
    },
    modelsOf: (providerId) => [...new Set(layers().flatMap((layer) => layer.modelsOf(providerId)))],
    lists: (providerId, model) => layers().some((layer) => layer.lists(providerId, model)),
    about: (providerId, model) =>
      layers()
        .map((layer) => layer.about(providerId, model))
        .find(({ name, description }) => name !== undefined || description !== undefined) ?? {},
  };
}

/**
 * A list and what is corrected in it, as one list: a correction of the model that was asked for does not precede the list's price of the one
 * that answered.
 */
export function correctedList(corrections: PriceBook, list: PriceBook): PriceBook {
  const layered = layeredBook(() => [corrections, list]);
  return {
    ...layered,
    *findAll(providerId, models, at) {
      for (const model of models) yield* layered.findAll(providerId, [model], at);
    },
  };
}
