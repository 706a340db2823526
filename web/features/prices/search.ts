import { textParam } from '../../lib/search-param.ts';

/** What the address of the page says: a part of the name of a model on the price list. */
export function pricesSearchOf({ q }: Readonly<Record<string, unknown>>): { readonly q?: string | undefined } {
  return { q: textParam(q) };
}
