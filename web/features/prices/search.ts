/** What the address of the page says: a part of the name of a model in the catalogue. */
export function pricesSearchOf({ q }: Readonly<Record<string, unknown>>): { readonly q?: string | undefined } {
  return typeof q === 'string' && q !== '' ? { q } : {};
}
