import type { ProviderDeclaration } from './declaration.ts';
import { providerRows } from './table.ts';

export type AddressedProvider = keyof typeof providerRows;

export const declaredProviders: Readonly<Record<AddressedProvider, ProviderDeclaration>> = providerRows;

/** Providers addressable by name: in paths, in `name/model` and in settings. The built-in `echo` needs no address. */
export const addressedProviders = Object.keys(declaredProviders) as readonly AddressedProvider[];

/** Provider of calls to unknown addresses, of those that are not sent, and of those whose provider nobody knows. */
export const customProviderName: string = 'custom';

/** The built-in one, and {@link customProviderName}. Records have their names in capitals. */
export const providersWithoutAddress = ['echo', customProviderName] as const;

/** The provider of `/v1/…` when neither path, header nor model names another. */
export const defaultProvider: AddressedProvider = 'openai';

/** Aliases accepted wherever callers name a provider: those of Helicone's models, hosts and records. */
export const providerAliases: ReadonlyMap<string, AddressedProvider> = new Map([
  ['google', 'gemini'],
  ['google-ai-studio', 'gemini'],
  ['x', 'xai'],
  ['aws', 'bedrock'],
]);

const byName: ReadonlyMap<string, AddressedProvider> = new Map([
  ...addressedProviders.map((name) => [name, name] as const),
  ...providerAliases,
]);
const byTelemetryName: ReadonlyMap<string, AddressedProvider> = new Map([
  ...byName,
  ...addressedProviders.flatMap((name) => (declaredProviders[name].telemetryNames ?? []).map((other) => [other, name] as const)),
]);

/** @param name a name or alias in lower case. */
export function addressedProviderNamed(name: string): AddressedProvider | undefined {
  return byName.get(name);
}

/** @param name a name in OpenTelemetry, a name or an alias, in lower case. */
export function providerInTelemetry(name: string): AddressedProvider | undefined {
  return byTelemetryName.get(name);
}

/** The provider's name in records. @param name a name or alias in any case. */
export function providerInRecords(name: string): string | undefined {
  const provider = addressedProviderNamed(name.toLowerCase());
  return provider === undefined ? undefined : (declaredProviders[provider].recordName ?? provider.toUpperCase());
}

const noDeclaration: Partial<ProviderDeclaration> = {};

/** @param name a name in addresses. @returns no facts for a provider without an address. */
export function providerDeclaration(name: string): Partial<ProviderDeclaration> {
  return Object.hasOwn(declaredProviders, name) ? declaredProviders[name as AddressedProvider] : noDeclaration;
}

/** Where models named `maker/model` go. */
export const modelHubs = addressedProviders.filter((name) => declaredProviders[name].isHub === true);

/** Providers that sell the models they make. The first that lists a model counts as its maker. */
export const modelMakers = addressedProviders.filter((name) => declaredProviders[name].models === 'own');

/** The only provider whose models' names begin like this one. @param model in lower case. */
export function soleMakerOf(model: string): AddressedProvider | undefined {
  return addressedProviders.find((name) => declaredProviders[name].madeModels?.test(model) === true);
}

/** Members of bodies whose lists of integers are identifiers of tokens. */
export const tokenIdMembers: ReadonlySet<string> = new Set(
  addressedProviders.flatMap((name) => declaredProviders[name].tokenIdMembers ?? []),
);

const byOrigin: ReadonlyMap<string, AddressedProvider> = new Map(
  addressedProviders.flatMap((name) => {
    const { baseUrl, origins, isLocal } = declaredProviders[name];
    return typeof baseUrl === 'string' && origins === undefined && isLocal !== true ? [[new URL(baseUrl).origin, name] as const] : [];
  }),
);
const ofManyOrigins = addressedProviders.filter((name) => declaredProviders[name].origins !== undefined);

/** The provider of an origin such as `https://api.groq.com`; local providers have none. */
export function providerAtOrigin(origin: string): AddressedProvider | undefined {
  return byOrigin.get(origin) ?? ofManyOrigins.find((name) => declaredProviders[name].origins?.test(origin) === true);
}

/** The provider that others call at a host, which we may not. @param host in lower case, without a port. */
export function providerAtHost(host: string): AddressedProvider | undefined {
  return (
    providerAtOrigin(`https://${host}`) ?? addressedProviders.find((name) => declaredProviders[name].furtherHosts?.test(host) === true)
  );
}
