import { textParam } from '../../lib/search-param.ts';

/** What the address of the page says: a part of the name of a model in the catalogue. */
export function pricesSearchOf({ q }: Readonly<Record<string, unknown>>): { readonly q?: string | undefined } {
  return { q: textParam(q) };
}
