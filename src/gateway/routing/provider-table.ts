import type { AllowedTarget, EgressPolicy } from '../../egress/target-guard.ts';
import { GatelogError } from '../../model/errors.ts';
import { type AddressedProvider, addressedProviders, providerAliases } from '../../model/vocabulary/providers.ts';
import { parseBaseAddress, parseOpenAiAddress, type ProviderTarget, resolveAt, memoizedResolver } from './base-url.ts';
import { type KeyHeader, providerAtOrigin, type ProviderRow, providerRows } from './provider-addresses.ts';

/** One API of a provider: where its paths go, and whose credential goes with them when the caller sends none. */
export interface ProviderEndpoint {
  /** Where a call with this path goes. @throws GatelogError when that cannot be told or may not be reached. */
  readonly target: (path: string) => ProviderTarget;
  /** The deployment's own credential lines, name and value in turn; none where none is needed, undefined where one is and none is set. */
  readonly deploymentCredentials: readonly string[] | undefined;
  /** Header for a key that is not the caller's own; undefined where no such key may go. */
  readonly keyHeader: KeyHeader | undefined;
  /** The caller's key may stand in the query (`?key=…`). */
  readonly takesQueryKey: boolean;
}

/** How calls reach a provider. */
export interface ProviderAddress {
  /** Name in settings and records; the name of the path may be an alias of it. */
  readonly name: AddressedProvider;
  /** The provider's own API, under `/<name>/…`. */
  readonly native: ProviderEndpoint;
  /** What the provider offers to OpenAI's clients, for `name/model`. */
  readonly openAi: ProviderEndpoint;
  /** False while every call by `name/model` would be refused, whatever key it has. */
  readonly isRoutable: boolean;
}

/** A provider that answers in this process; it has no address. */
export const echoProviderName = 'echo';

/** What the deployment sets for one provider: `GATELOG_PROVIDER_<NAME>_URL` and `_KEY`. */
export interface ProviderOverride {
  readonly baseUrl?: string;
  readonly key?: string;
}

/** What else of the deployment the addresses depend on. */
export interface ProviderEnvironment {
  readonly bedrockRegion: string;
  /** Whether a host and port on this machine may be reached. */
  readonly allowsLocal: (host: string, port: number) => boolean;
  /** Keeps calls whose path names the host away from what only this network may reach. */
  readonly targets: EgressPolicy;
}

/** The providers that this deployment can reach. */
export interface ProviderTable {
  /** By name or alias. */
  readonly find: (name: string) => ProviderAddress | undefined;
  /** Where OpenAI's surface leads when nothing names another provider. */
  readonly openAi: ProviderEndpoint;
  /** The deployment has put an address of its own in OpenAI's place: nobody here knows which models are served there. */
  readonly isOpenAiElsewhere: boolean;
  /** Bedrock in a region that the path names: Amazon's address there, or the one that the deployment has put in its place. */
  readonly bedrockIn: (region: string) => ProviderEndpoint;
  /** The deployment's region of Bedrock. */
  readonly bedrockRegion: string;
  /** Names in paths and models, aliases included. */
  readonly names: readonly string[];
  readonly all: readonly ProviderAddress[];
}

/** The credential lines that a key makes, name and value in turn. */
export function authHeaders(header: KeyHeader, key: string): readonly string[] {
  return [header, header === 'authorization' ? `Bearer ${key}` : key];
}

/** The built-in addresses with what the deployment sets. */
export function makeProviderTable(overrides: Readonly<Record<string, ProviderOverride>>, surroundings: ProviderEnvironment): ProviderTable {
  const all = addressedProviders.map((name) => makeAddress(name, overrides[name] ?? {}, surroundings));
  const byName = new Map<string, ProviderAddress>(all.map((address) => [address.name, address]));
  for (const [alias, name] of providerAliases) {
    const address = byName.get(name);
    if (address !== undefined) byName.set(alias, address);
  }
  const [openAi] = all;
  if (openAi === undefined) throw new Error('the table of providers is empty');
  return {
    find: (name) => byName.get(name),
    openAi: openAi.openAi,
    isOpenAiElsewhere: isElsewhere(overrides['openai']?.baseUrl),
    bedrockIn: (region) => makeAddress('bedrock', overrides['bedrock'] ?? {}, { ...surroundings, bedrockRegion: region }).native,
    bedrockRegion: surroundings.bedrockRegion,
    names: [...byName.keys(), echoProviderName],
    all,
  };
}

function isElsewhere(openAiUrl: string | undefined): boolean {
  return openAiUrl !== undefined && providerAtOrigin(new URL(openAiUrl).origin) !== 'openai';
}

function makeAddress(name: AddressedProvider, override: ProviderOverride, surroundings: ProviderEnvironment): ProviderAddress {
  const row = providerRows[name];
  const { keyHeader, openAiKeyHeader, takesQueryKey = false } = row;
  const where = whereaboutsOf(name, row, override.baseUrl, surroundings);
  const keyed = (header: KeyHeader): Pick<ProviderEndpoint, 'keyHeader' | 'deploymentCredentials'> => {
    const { key } = override;
    if (!where.takesKey) return { keyHeader: undefined, deploymentCredentials: undefined };
    return {
      keyHeader: header,
      deploymentCredentials: key === undefined ? (row.isLocal === true ? [] : undefined) : authHeaders(header, key),
    };
  };
  const native = { target: where.native, ...keyed(keyHeader), takesQueryKey };
  const openAi = { target: where.openAi, ...keyed(openAiKeyHeader), takesQueryKey: false };
  return { name, native, openAi, isRoutable: where.isRoutable };
}

/** Where a provider's two APIs are. */
interface Whereabouts {
  readonly native: ProviderEndpoint['target'];
  readonly openAi: ProviderEndpoint['target'];
  readonly isRoutable: boolean;
  /** False where each call names an address of its own, to which a key that is not the caller's may not belong. */
  readonly takesKey: boolean;
}

function whereaboutsOf(
  name: AddressedProvider,
  row: ProviderRow,
  baseUrl: string | undefined,
  surroundings: ProviderEnvironment,
): Whereabouts {
  const known =
    baseUrl ?? (typeof row.baseUrl === 'string' ? row.baseUrl.replace('{bedrockRegion}', surroundings.bedrockRegion) : undefined);
  if (known === undefined) return fromPath(name, row, surroundings.targets);
  if (baseUrl === undefined && row.isLocal === true) {
    const { hostname, port, host } = new URL(known);
    if (!surroundings.allowsLocal(hostname, Number(port))) {
      const target = refuses('target_not_allowed', localSentence(name, host));
      return { native: target, openAi: target, isRoutable: false, takesKey: true };
    }
  }
  return {
    native: memoizedResolver(parseBaseAddress(known)),
    openAi: row.openAiPath === undefined ? noOpenAiAddress(name) : openAiTarget(known, row, row.openAiPath),
    isRoutable: row.openAiPath !== undefined,
    takesKey: true,
  };
}

function openAiTarget(baseUrl: string, row: ProviderRow, openAiPath: string): ProviderEndpoint['target'] {
  const usual = (typeof row.baseUrl === 'string' ? row.baseUrl : '') + openAiPath;
  return memoizedResolver(parseOpenAiAddress(baseUrl, openAiPath, usual.endsWith('/v1')));
}

/** Every call names its address. TRICKY: of an Azure resource named by a caller nobody knows whose it is, so only the caller's own key goes there. */
function fromPath(name: AddressedProvider, row: ProviderRow, targets: EgressPolicy): Whereabouts {
  const { baseUrl } = row;
  if (typeof baseUrl === 'string') throw new TypeError(`the address of ${name} does not come from the path`);
  return {
    native: (path) => {
      const address = baseUrl(path);
      const { origin, lookUp } = allowed(targets, address.origin);
      return resolveAt({ origin, basePath: '', lookUp }, address.path);
    },
    openAi: noOpenAiAddress(name),
    isRoutable: false,
    takesKey: name !== 'azure',
  };
}

function allowed(targets: EgressPolicy, origin: string): AllowedTarget {
  const checked = targets.check(origin);
  if ('problem' in checked) throw new GatelogError('target_not_allowed', `The host that the path names ${checked.problem}.`);
  return checked;
}

function noOpenAiAddress(name: AddressedProvider): ProviderEndpoint['target'] {
  return refuses(
    'provider_address_missing',
    name === 'azure'
      ? 'This deployment has no Azure resource of its own. Set GATELOG_PROVIDER_AZURE_URL (https://<resource>.openai.azure.com), or name the resource in the path: /azure/<resource>/openai/v1/….'
      : `By its model alone ${name} cannot be reached, since its address names a project. Write the path: /vertex/v1/projects/<project>/locations/<region>/endpoints/openapi/….`,
  );
}

function refuses(code: 'target_not_allowed' | 'provider_address_missing', sentence: string): ProviderEndpoint['target'] {
  return () => {
    throw new GatelogError(code, sentence);
  };
}

function localSentence(name: string, host: string): string {
  return `The provider ${name} is at ${host} on the gateway's own machine, which this deployment does not allow. Add ${host} to GATELOG_TARGET_ALLOWLIST, or set GATELOG_PROVIDER_${name.toUpperCase()}_URL.`;
}
