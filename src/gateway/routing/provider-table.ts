import { bedrockName } from '../../providers/amazon/wire.ts';
import type { AllowedTarget, EgressPolicy } from '../../egress/target-guard.ts';
import { GatelogError } from '../../model/errors.ts';
import type { KeyHeader, ProviderDeclaration } from '../../model/providers/declaration.ts';
import {
  type AddressedProvider,
  addressedProviders,
  defaultProvider,
  providerAliases,
  providerAtOrigin,
  declaredProviders,
} from '../../model/providers/providers.ts';
import { parseBaseUrl, parseOpenAiBaseUrl, type ProviderTarget, resolveAt, memoizedResolver } from './base-url.ts';

/** One API of a provider: its addresses, and the credential for callers that send none. */
export interface ProviderEndpoint {
  /** @throws GatelogError for a path without an address, or a forbidden one. */
  readonly target: (path: string) => ProviderTarget;
  /** The deployment's credential headers: empty where none is needed, undefined where one is needed but not set. */
  readonly deploymentCredentials: readonly string[] | undefined;
  /** Header for a key that is not the caller's own; undefined where such a key must not be sent. */
  readonly keyHeader: KeyHeader | undefined;
  /** The caller's key may be in the query (`?key=…`). */
  readonly takesQueryKey: boolean;
}

export interface ProviderAddress {
  /** The name in settings and records; paths may use an alias. */
  readonly name: AddressedProvider;
  /** The provider's own API, under `/<name>/…`. */
  readonly native: ProviderEndpoint;
  /** The provider's OpenAI-compatible API, for `name/model`. */
  readonly openAi: ProviderEndpoint;
  /** False if every call by `name/model` would be rejected, whatever its key. */
  readonly isRoutable: boolean;
}

/** The built-in provider; it has no address. */
export const echoProviderName = 'echo';

/** `GATELOG_PROVIDER_<NAME>_URL` and `_KEY`. */
export interface ProviderOverride {
  readonly baseUrl?: string;
  readonly key?: string;
}

export interface ProviderEnvironment {
  readonly bedrockRegion: string;
  /** Whether a host and port on this machine may be reached. */
  readonly allowsLocal: (host: string, port: number) => boolean;
  /** Checks hosts that are named by a path. */
  readonly targets: EgressPolicy;
}

export interface ProviderTable {
  /** By name or alias. */
  readonly find: (name: string) => ProviderAddress | undefined;
  /** For OpenAI's API when nothing names another provider. */
  readonly openAi: ProviderEndpoint;
  /** The deployment replaced OpenAI's address, so the models there are unknown. */
  readonly isOpenAiElsewhere: boolean;
  /** Bedrock in a region from the path, unless the deployment set an address. */
  readonly bedrockIn: (region: string) => ProviderEndpoint;
  readonly bedrockRegion: string;
  /** Names in paths and models, aliases included. */
  readonly names: readonly string[];
  readonly all: readonly ProviderAddress[];
}

export function authHeaders(header: KeyHeader, key: string): readonly string[] {
  return [header, header === 'authorization' ? `Bearer ${key}` : key];
}

export function makeProviderTable(overrides: Readonly<Record<string, ProviderOverride>>, environment: ProviderEnvironment): ProviderTable {
  const all = addressedProviders.map((name) => makeAddress(name, overrides[name] ?? {}, environment));
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
    isOpenAiElsewhere: isElsewhere(overrides[defaultProvider]?.baseUrl),
    bedrockIn: (region) => makeAddress(bedrockName, overrides[bedrockName] ?? {}, { ...environment, bedrockRegion: region }).native,
    bedrockRegion: environment.bedrockRegion,
    names: [...byName.keys(), echoProviderName],
    all,
  };
}

function isElsewhere(openAiUrl: string | undefined): boolean {
  return openAiUrl !== undefined && providerAtOrigin(new URL(openAiUrl).origin) !== defaultProvider;
}

function makeAddress(name: AddressedProvider, override: ProviderOverride, environment: ProviderEnvironment): ProviderAddress {
  const row = declaredProviders[name];
  const { keyHeader, openAiKeyHeader, takesQueryKey = false } = row;
  const where = endpointsOf(name, row, override.baseUrl, environment);
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

interface Endpoints {
  readonly native: ProviderEndpoint['target'];
  readonly openAi: ProviderEndpoint['target'];
  readonly isRoutable: boolean;
  /** False where each call names its own address, which may not be the key owner's. */
  readonly takesKey: boolean;
}

function endpointsOf(
  name: AddressedProvider,
  row: ProviderDeclaration,
  baseUrl: string | undefined,
  environment: ProviderEnvironment,
): Endpoints {
  const known =
    baseUrl ?? (typeof row.baseUrl === 'string' ? row.baseUrl.replace('{bedrockRegion}', environment.bedrockRegion) : undefined);
  if (known === undefined) return fromPath(name, row, environment.targets);
  if (baseUrl === undefined && row.isLocal === true) {
    const { hostname, port, host } = new URL(known);
    if (!environment.allowsLocal(hostname, Number(port))) {
      const target = refuses('target_not_allowed', localSentence(name, host));
      return { native: target, openAi: target, isRoutable: false, takesKey: true };
    }
  }
  return {
    native: memoizedResolver(parseBaseUrl(known)),
    openAi: row.openAiPath === undefined ? unroutable(name) : openAiTarget(known, row, row.openAiPath),
    isRoutable: row.openAiPath !== undefined,
    takesKey: true,
  };
}

function openAiTarget(baseUrl: string, row: ProviderDeclaration, openAiPath: string): ProviderEndpoint['target'] {
  const usual = (typeof row.baseUrl === 'string' ? row.baseUrl : '') + openAiPath;
  return memoizedResolver(parseOpenAiBaseUrl(baseUrl, openAiPath, usual.endsWith('/v1')));
}

/** Every call names its address. TRICKY: the owner of an Azure resource is unknown, so only the caller's own key is sent to it. */
function fromPath(name: AddressedProvider, row: ProviderDeclaration, targets: EgressPolicy): Endpoints {
  const { baseUrl } = row;
  if (typeof baseUrl === 'string') throw new TypeError(`the address of ${name} does not come from the path`);
  return {
    native: (path) => {
      const address = baseUrl(path);
      const { origin, lookUp } = allowed(targets, address.origin);
      return resolveAt({ origin, basePath: '', lookUp }, address.path);
    },
    openAi: unroutable(name),
    isRoutable: false,
    takesKey: row.isCustomers !== true,
  };
}

function allowed(targets: EgressPolicy, origin: string): AllowedTarget {
  const checked = targets.check(origin);
  if ('problem' in checked) throw new GatelogError('target_not_allowed', `The host that the path names ${checked.problem}.`);
  return checked;
}

function unroutable(name: AddressedProvider): ProviderEndpoint['target'] {
  return refuses(
    'provider_address_missing',
    declaredProviders[name].openAiAddressHint ??
      `By its model alone ${name} cannot be reached, since its address stands in the path of a call.`,
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
