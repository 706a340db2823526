import type { PriceBook } from '../price-book.ts';

/**
 * One book of several, of which the first that has a model decides. @param layers is called for each look-up, as the operator's prices
 * may change at any time.
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
    findAll: (providerId, model, at) => layers().flatMap((layer) => layer.findAll(providerId, model, at)),
    modelsOf: (providerId) => [...new Set(layers().flatMap((layer) => layer.modelsOf(providerId)))],
    lists: (providerId, model) => layers().some((layer) => layer.lists(providerId, model)),
    about: (providerId, model) =>
      layers()
        .map((layer) => layer.about(providerId, model))
        .find(({ name, description }) => name !== undefined || description !== undefined) ?? {},
  };
}
