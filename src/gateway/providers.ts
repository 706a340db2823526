import { type BaseAddress, parseBaseAddress } from './base-address.ts';
import { type AddressedProvider, addressedProviders } from '../model/vocabulary/providers.ts';

/** How calls reach a provider. The address is the one that the provider's official client takes as its base. */
export interface ProviderAddress {
  /** Name in paths (`/<name>/…`), in `name/model` and in settings. */
  readonly name: string;
  readonly base: BaseAddress;
  /** Header that carries the provider's key, with the text before the key. */
  readonly keyHeader: string;
  readonly keyPrefix: string;
}

/** A provider that answers in this process; it has no address. */
export const echoProviderName = 'echo';

const builtIn: Readonly<Record<AddressedProvider, Omit<ProviderAddress, 'name' | 'base'> & { readonly baseUrl: string }>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', keyHeader: 'authorization', keyPrefix: 'Bearer ' },
};

/** What the deployment sets for one provider: `GATELOG_PROVIDER_<NAME>_URL` and `_KEY`. */
export interface ProviderOverride {
  readonly baseUrl?: string;
  readonly key?: string;
}

/** The providers that this deployment can reach, by name. */
export interface ProviderTable {
  readonly find: (name: string) => ProviderAddress | undefined;
  /** The deployment's own key for a provider. */
  readonly deploymentKey: (name: string) => string | undefined;
  readonly names: readonly string[];
}

/** The built-in addresses with what the deployment sets. */
export function makeProviderTable(overrides: Readonly<Record<string, ProviderOverride>>): ProviderTable {
  const addresses = new Map<string, ProviderAddress>(
    addressedProviders.map((name) => {
      const { baseUrl, keyHeader, keyPrefix } = builtIn[name];
      return [name, { name, base: parseBaseAddress(overrides[name]?.baseUrl ?? baseUrl), keyHeader, keyPrefix }];
    }),
  );
  return {
    find: (name) => addresses.get(name),
    deploymentKey: (name) => overrides[name]?.key,
    names: [...addresses.keys(), echoProviderName],
  };
}
