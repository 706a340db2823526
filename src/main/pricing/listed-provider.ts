import { priceProviderOf, providerNamed } from '../../providers/registry.ts';

/** The name of a provider in the public list, by any name of it. */
export function listedProviderOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  return providerNamed(lower)?.priceProviderId ?? priceProviderOf(name.toUpperCase()) ?? (listNames.has(lower) ? lower : undefined);
}

/** Providers that have another name in the public list than with us. */
const listNames: ReadonlySet<string> = new Set(['google', 'aws', 'x-ai']);
