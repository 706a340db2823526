/** Values of proxies for an unknown country; neither is assigned. */
const unknownCountries: ReadonlySet<string> = new Set(['XX', 'ZZ']);

/**
 * The country that a proxy named, two capital letters; undefined for anything else, such as Cloudflare's `T1` (Tor) or a repeated header.
 * Whether the code is assigned is not checked, because the list changes.
 */
export function countryOf(value: string | undefined): string | undefined {
  if (value === undefined || !/^[a-z]{2}$/i.test(value)) return undefined;
  const code = value.toUpperCase();
  return unknownCountries.has(code) ? undefined : code;
}
