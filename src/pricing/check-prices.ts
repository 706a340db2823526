import type { StoredPrice } from '../model/pricing/stored-price.ts';

/** Why a list of prices is refused: the index of the first bad price, and its provider or model. */
interface PriceRefusal {
  readonly refused: 'provider' | 'twice';
  readonly index: number;
  readonly text: string;
}

/**
 * Checks prices before they are stored: every provider is known, and no two prices are for the same model, provider and time.
 * @param recordNameOf the name under which requests of a provider are recorded; undefined for an unknown provider.
 * @returns the prices with these names.
 */
export function checkPrices(
  stored: readonly StoredPrice[],
  recordNameOf: (provider: string) => string | undefined,
): { readonly prices: readonly StoredPrice[] } | PriceRefusal {
  const prices: StoredPrice[] = [];
  for (const [index, price] of stored.entries()) {
    const provider = price.provider === null ? null : recordNameOf(price.provider);
    if (provider === undefined) return { refused: 'provider', index, text: price.provider ?? '' };
    prices.push({ ...price, provider });
  }
  const seen = new Set<string>();
  for (const [index, { model, provider, validFrom }] of prices.entries()) {
    const key = JSON.stringify([model, provider, validFrom]);
    if (seen.has(key)) return { refused: 'twice', index, text: model };
    seen.add(key);
  }
  return { prices };
}
