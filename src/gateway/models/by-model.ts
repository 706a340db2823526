import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { type AddressedProvider, providerDeclaration, modelHubs } from '../../model/providers/providers.ts';
import { storedCredentials } from '../credentials/credentials.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import { withoutSecretParameters } from '../http/headers.ts';
import type { KnownModels } from '../routing/known-models.ts';
import { echoProviderName, type ProviderTable } from '../routing/provider-table.ts';
import { type ModelRoute, type Route, routeByModel, routeToProvider } from '../routing/routes.ts';
import type { ProviderKeys } from '../credentials/stored-keys.ts';

/** The provider that makes a model; undefined if OpenAI lists it, or no provider does. */
export type MakerOfModel = (model: string) => AddressedProvider | undefined;

export interface RoutingPorts {
  readonly providers: ProviderTable;
  readonly makerOf: MakerOfModel;
  readonly knownModels: KnownModels;
  readonly providerKeys: ProviderKeys;
}

export interface NamedFrom {
  /** By the path: OpenAI's API. */
  readonly route: Route;
  readonly organizationId: OrganizationId;
  /** The caller's own for the provider of the path, names and values in turn; absent where they must not go to another provider. */
  readonly credentials?: HeaderList;
}

/** A suffix that requests a web search. */
const onlineSuffix = ':online';

/**
 * Resolves `provider/model`, `model/provider`, `model/azure/<deployment>`, or a bare name that only another maker lists.
 * @returns undefined for a name that goes to the path's provider unchanged.
 * @throws GatelogError `invalid_model` for an unsupported form, `unknown_model` for a model whose maker has no key.
 */
export function resolveModel(from: NamedFrom, model: string, ports: RoutingPorts): ModelRoute | undefined {
  if (model.startsWith('!')) {
    throw invalid(model, 'excludes a provider and names no model; write the models behind it: "!openai,groq/llama-3.3-70b-versatile"');
  }
  if (!model.includes('/')) return resolveBare(from, model, ports);
  const ofHub = resolveByHubKey(from, model, ports.providers);
  if (ofHub !== undefined) return ofHub;
  const named = resolveNamed(from.route, model, ports.providers);
  if (named === undefined) refuseSuffix(model, from.route.provider, ports.providers);
  else if (named.model.endsWith(onlineSuffix) && !takesSuffix(named.route.provider)) throw suffixed(model, named.route.provider);
  return named ?? resolveByStoredHubKey(from, model, ports);
}

/** `maker/model` or `maker/model:suffix`, as model hubs write it. */
const hubName = /^[\w.-]+\/[\w.-]+(?::[\w.-]+)?$/;

/** The caller's own key is a hub's: its models have names that begin with makers, who may be providers too (`openai/gpt-oss-120b:groq`). */
function resolveByHubKey({ route, credentials = [] }: NamedFrom, model: string, providers: ProviderTable): ModelRoute | undefined {
  if (credentials.length === 0 || !hubName.test(model)) return undefined;
  const hub = modelHubs.find((name) => credentials.some((value, index) => index % 2 === 1 && isKeyOf(name, value)));
  const routed = hub === undefined ? undefined : routeToProvider(route.path, hub, providers);
  return routed === undefined ? undefined : { route: routed, model };
}

function isKeyOf(provider: AddressedProvider, credential: string): boolean {
  const { keyPrefix } = providerDeclaration(provider);
  return keyPrefix !== undefined && credential.replace(/^Bearer +/i, '').startsWith(keyPrefix);
}

/**
 * A name that no provider has goes to the hub for which there is a key: the organisation's, or the deployment's unless that has an address
 * of its own for OpenAI, whose server may have such models.
 */
function resolveByStoredHubKey({ route, organizationId }: NamedFrom, model: string, ports: RoutingPorts): ModelRoute | undefined {
  if (!hubName.test(model)) return undefined;
  const { providers, providerKeys } = ports;
  const stored = providerKeys.providersOf(organizationId);
  for (const hub of modelHubs) {
    if (!stored.has(hub) && providers.isOpenAiElsewhere) continue;
    const routed = routeToProvider(withoutSecretParameters(route.path), hub, providers);
    if (routed !== undefined && storedCredentials(routed, organizationId, providerKeys) !== undefined) {
      return { route: routed, model, isPicked: true };
    }
  }
  return undefined;
}

function resolveBare({ route, organizationId }: NamedFrom, model: string, ports: RoutingPorts): ModelRoute | undefined {
  const { providers, makerOf, knownModels, providerKeys } = ports;
  refuseSuffix(model, route.provider, providers);
  const maker = makerOf(model);
  if (maker === undefined || knownModels(route.provider, organizationId).includes(model)) return undefined;
  const made = routeToProvider(withoutSecretParameters(route.path), maker, providers);
  if (made === undefined) return undefined;
  if (storedCredentials(made, organizationId, providerKeys) !== undefined) return { route: made, model, isPicked: true };
  // A server at the deployment's own address may serve any model.
  if (providers.isOpenAiElsewhere) return undefined;
  throw new GatelogError(
    'unknown_model',
    `OpenAI lists no model "${model.slice(0, 80)}", ${maker} does, and there is no key for ${maker}: nothing was forwarded. Store one with POST /v1/provider-keys of the API (or set GATELOG_PROVIDER_${maker.toUpperCase()}_KEY for this deployment), or name the provider to send it there with the key of your call: "${maker}/${model.slice(0, 80)}", "openai/${model.slice(0, 80)}".`,
  );
}

/** Model names of resellers and self-hosted servers may contain a slash or any suffix. */
function takesSuffix(provider: string): boolean {
  return provider === echoProviderName || providerDeclaration(provider).models === 'any';
}

function hasDeployments(provider: string | undefined): boolean {
  return provider !== undefined && providerDeclaration(provider).hasDeployments === true;
}

function resolveNamed(route: Route, model: string, providers: ProviderTable): ModelRoute | undefined {
  const parts = model.split('/');
  const providerOf = (part: string | undefined): string | undefined => routeToProvider(route.path, part ?? '', providers)?.provider;
  const first = providerOf(parts[0]);
  const last = providerOf(parts.at(-1));
  if (first !== undefined) {
    if (parts.length > 2 && last !== undefined && last !== first && providerDeclaration(first).models === 'own') {
      throw invalid(
        model,
        `names two providers, ${first} and ${last}; write the one that is meant before the name: "${last}/${parts.slice(0, -1).join('/')}"`,
      );
    }
    return routeByModel(route, model, providers);
  }
  if (parts.length > 2 && hasDeployments(providerOf(parts[1]))) return ofDeployment(route, model, parts, providers);
  if (last === undefined) return withSuffix(route, model, providers);
  return routeByModel(route, model, providers);
}

/** `name/azure/<deployment>`. */
function ofDeployment(route: Route, model: string, parts: readonly string[], providers: ProviderTable): ModelRoute {
  const [name = '', owner = '', deployment = ''] = parts;
  const azure = routeToProvider(route.path, owner, providers);
  if (parts.length !== 3 || name === '' || deployment === '' || azure === undefined) {
    throw invalid(model, 'is read as a deployment of Azure, which is written "name/azure/<deployment>"');
  }
  return { route: azure, model: deployment };
}

/** `name/provider:suffix`. Rejects a provider in the middle of a name. @returns undefined for any other name. */
function withSuffix(route: Route, model: string, providers: ProviderTable): ModelRoute | undefined {
  const [, name = '', provider = '', suffix = ''] = /^(.+)\/([^/:]+):([^/]*)$/.exec(model) ?? [];
  const named = provider === '' ? undefined : routeToProvider(route.path, provider, providers);
  if (named === undefined) {
    const [, middle = '', ...rest] = model.split('/');
    if (rest.length !== 1 || routeToProvider(route.path, middle, providers) === undefined) return undefined;
    throw invalid(
      model,
      `has ${middle} in its middle; only Azure's deployments are written so ("name/azure/<deployment>"): write "${middle}/<name>"`,
    );
  }
  if (suffix === 'online' && providerDeclaration(named.provider).searchesOnline === true) {
    return { route: named, model: name + onlineSuffix };
  }
  throw invalid(model, `ends in "${provider}:${suffix}", and the suffix is not carried out at ${provider}`);
}

/** Such a name would reach OpenAI unchanged, and OpenAI does not know the suffix. */
function refuseSuffix(model: string, provider: string, { isOpenAiElsewhere }: ProviderTable): void {
  if (model.endsWith(onlineSuffix) && !isOpenAiElsewhere) throw suffixed(model, provider);
}

function suffixed(model: string, provider: string): GatelogError {
  return invalid(
    model,
    `ends in "${onlineSuffix}", which ${provider} does not carry out; OpenRouter does: "openrouter/<name>${onlineSuffix}"`,
  );
}

export interface ListedModel {
  readonly model: string;
  /** Index in the list, exclusions counted. */
  readonly index: number;
  /** Undefined: it goes to the path's provider unchanged. */
  readonly modelRoute: ModelRoute | undefined;
}

export interface ModelList {
  readonly models: readonly [ListedModel, ...ListedModel[]];
  readonly excluded: ReadonlySet<string>;
}

/**
 * Reads `a, !provider, b`: `!` excludes a provider for the names that follow.
 * @throws GatelogError `invalid_model` for a malformed or empty list, and as {@link resolveModel} does.
 */
export function readModelList(from: NamedFrom, text: string, ports: RoutingPorts, max: number): ModelList {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.includes('') || entries.length > max) {
    throw new GatelogError(
      'invalid_model',
      `The body's model is a list: write 2 to ${max} names with a comma between them, none of them empty.`,
    );
  }
  const excluded = new Set<string>();
  const models: ListedModel[] = [];
  for (const [index, model] of entries.entries()) {
    if (model.startsWith('!')) {
      excluded.add(excludedProvider(from, model, ports.providers));
      continue;
    }
    const modelRoute = resolveUnlessExcluded(excluded, from, model, ports);
    if (modelRoute !== 'excluded') models.push({ model, index, modelRoute });
  }
  const [first, ...others] = models;
  if (first !== undefined) return { models: [first, ...others], excluded };
  throw invalid(text, 'names no model that a provider is left for; name the provider with the model: "!openai,azure/gpt-4o"');
}

/** The maker of an excluded model needs no key. */
function resolveUnlessExcluded(
  excluded: ReadonlySet<string>,
  from: NamedFrom,
  model: string,
  ports: RoutingPorts,
): ModelRoute | undefined | 'excluded' {
  try {
    const modelRoute = resolveModel(from, model, ports);
    return excluded.has((modelRoute?.route ?? from.route).provider) ? 'excluded' : modelRoute;
  } catch (error) {
    const isUnknown = error instanceof GatelogError && error.code === 'unknown_model';
    if (isUnknown && excluded.has(ports.makerOf(model) ?? '')) return 'excluded';
    throw error;
  }
}

function excludedProvider({ route }: NamedFrom, entry: string, providers: ProviderTable): string {
  const named = entry.slice(1).trim();
  const found = routeToProvider(route.path, named, providers);
  if (found !== undefined) return found.provider;
  throw invalid(entry, `excludes "${named.slice(0, 60)}", which is no provider; known are ${providers.names.join(', ')}`);
}

function invalid(model: string, problem: string): GatelogError {
  return new GatelogError('invalid_model', `The model "${model.slice(0, 120)}" ${problem}. Nothing was forwarded.`, {
    details: { path: 'model' },
  });
}
