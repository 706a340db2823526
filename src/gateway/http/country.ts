/** What proxies say when they do not know; not assigned to any country. */
const unknownCountries: ReadonlySet<string> = new Set(['XX', 'ZZ']);

/**
 * The country that a proxy named, two capital letters; undefined for anything else, such as Cloudflare's `T1` (the Tor network) or several
 * lines of the name. Whether such a code is assigned to a country is not looked at: the list changes.
 */
export function countryOf(value: string | undefined): string | undefined {
  if (value === undefined || !/^[a-z]{2}$/i.test(value)) return undefined;
  const code = value.toUpperCase();
  return unknownCountries.has(code) ? undefined : code;
}
