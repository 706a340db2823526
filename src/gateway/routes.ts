import { GatelogError } from '../model/errors.ts';
import { echoProviderName, type ProviderTable } from './providers.ts';

/** Where a call goes. */
export interface Route {
  /** Registry name of the provider. */
  readonly provider: string;
  /** Path and query below the provider's base address, starting with `/`. */
  readonly path: string;
  /** True for the OpenAI surface under `/v1/`, where the body's model may name another provider. */
  readonly routedByModel: boolean;
}

/** Paths that every provider path may start with and that an address such as `https://…/v1` ends in already. */
const versionPrefix = '/v1';

/**
 * Routes by path alone: `/v1/…` is the OpenAI surface, `/<provider>/…` a provider's own API.
 * @throws GatelogError `not_found` for any other path.
 */
export function routeByPath(path: string, providers: ProviderTable): Route {
  if (path.startsWith('/v1/')) return { provider: 'openai', path, routedByModel: true };
  const [, name = '', rest = ''] = /^\/([a-z0-9-]+)(\/.*)?$/.exec(path) ?? [];
  if (providers.find(name) !== undefined || name === echoProviderName) {
    return { provider: name, path: rest === '' ? '/' : rest, routedByModel: false };
  }
  const known = providers.names.map((provider) => `/${provider}/…`).join(', ');
  throw new GatelogError('not_found', `No provider is reached by this path. Use /v1/… (OpenAI's surface) or one of ${known}.`);
}

/** A route with the model's name as the provider knows it. */
export interface ModelRoute {
  readonly route: Route;
  readonly model: string;
}

/**
 * Routes by a model written `provider/model` or `model/provider` with a provider that we know.
 * @returns undefined for every other name, slashes included: then the path decides.
 */
export function routeByModel(route: Route, model: string, providers: ProviderTable): ModelRoute | undefined {
  const first = model.indexOf('/');
  if (first === -1) return undefined;
  const isKnown = (name: string): boolean => providers.names.includes(name);
  const before = model.slice(0, first);
  if (isKnown(before)) return { route: { ...route, provider: before }, model: model.slice(first + 1) };
  const last = model.lastIndexOf('/');
  const after = model.slice(last + 1);
  return isKnown(after) ? { route: { ...route, provider: after }, model: model.slice(0, last) } : undefined;
}

/** Joins a provider's base address and a caller's path; a leading `/v1` is not doubled. */
export function joinAddress(baseUrl: string, path: string): URL {
  const base = baseUrl.replace(/\/+$/, '');
  const rest = base.endsWith(versionPrefix) && (path === versionPrefix || path.startsWith(`${versionPrefix}/`)) ? path.slice(versionPrefix.length) : path;
  return new URL(base + rest);
}
