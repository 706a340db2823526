import { holdsOurKey } from '../../auth/api-key.ts';
import type { AllowedTarget, EgressPolicy } from '../../egress/target-guard.ts';
import { GatelogError } from '../../model/errors.ts';
import { apiPathSegments } from '../../model/vocabulary/api-paths.ts';
import { customProviderName, defaultProvider, providerDeclaration, providerAtOrigin } from '../../model/providers/providers.ts';
import { bedrockName, bedrockRegionPath } from '../../providers/amazon/wire.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { joinAddress, parseBaseUrl } from './base-url.ts';
import { echoProviderName, type ProviderEndpoint, type ProviderTable } from './provider-table.ts';

/** Targets inside this process; `feedback` takes ratings as Helicone's clients send them. */
export type BuiltinTarget = 'echo' | 'models' | 'feedback';

/** Whether calls to it are neither retried nor cached. */
export function isNeverRepeated(destination: Route['destination']): boolean {
  return destination === 'models' || destination === 'feedback';
}

export interface Route {
  /** Registry name of the provider. */
  readonly provider: string;
  readonly destination: ProviderEndpoint | BuiltinTarget;
  /** Path and query below the base URL, starting with `/`. */
  readonly path: string;
  /** The path is OpenAI's API under `/v1/`, where the body's model may name another provider. */
  readonly routedByModel: boolean;
  /** AWS region from the path. */
  readonly region?: string;
}

/** `.` or `..` as a whole segment, also with a matrix parameter: a server may resolve it. */
const dotSegment = /[/\\]\.{1,2}(?:;[^/\\]*)?(?:[/\\]|$)/;

/**
 * Path and query of a request target. Every server must accept the absolute form (`http://host/path`); its host is ignored here.
 */
export function originForm(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]+/i, '');
  const fragmentAt = path.indexOf('#');
  const withoutFragment = fragmentAt === -1 ? path : path.slice(0, fragmentAt);
  return withoutFragment === '' || withoutFragment.startsWith('?') ? `/${withoutFragment}` : withoutFragment;
}

/**
 * Routes by path. `/v1/…` is OpenAI's API, most of which works without `/v1` too (Helicone's base URL has none); `/<provider>/…` is a
 * provider's own API. Paths that only Anthropic's or Google's clients send need no provider name. `GET /v1/models` is built in.
 * @param client the provider whose client calls, where a header tells; OpenAI has some of its paths too.
 * @throws GatelogError `not_found` for other paths and those of our API, `malformed_request` for path traversal.
 */
export function routeByPath(method: string, path: string, providers: ProviderTable, client?: string): Route {
  rejectPathTraversal(path);
  if (path.startsWith('/v1/')) {
    // Most calls are chats. They are OpenAI's whatever the headers.
    const beside = path.startsWith('/v1/chat/') ? undefined : routeBesideOpenAi(method, path, providers, client);
    return beside ?? { provider: defaultProvider, destination: providers.openAi, path, routedByModel: true };
  }
  const [, other] = wireProfile.nativePrefixes.find(([prefix]) => path.startsWith(prefix)) ?? [];
  if (other !== undefined) return nativeRoute(other, path, providers);
  if (rootOfOpenAi.test(path)) return routeByPath(method, `/v1${path}`, providers, client);
  const [, name = '', rest = ''] = /^\/([a-z0-9-]+)(\/.*)?$/.exec(path) ?? [];
  return nativeRoute(name, rest === '' ? '/' : rest, providers);
}

const rootOfOpenAi = /^\/(?:chat\/completions|responses|embeddings|completions|models|images|audio|moderations)(?:[/?]|$)/;

const openAiAlone = /^\/v1\/(?:completions|responses|embeddings|images|audio|moderations)(?:[/?]|$)/;

const feedbackPath = /^\/v1\/feedback(?:[/?]|$)/;
const modelList = /^\/v1\/models\/?(?:\?|$)/;

/** @returns undefined for a path of OpenAI's. @throws GatelogError `not_found` for a path of our API. */
function routeBesideOpenAi(method: string, path: string, providers: ProviderTable, client?: string): Route | undefined {
  // TRICKY: the ports of gateway and API differ by one digit. A misdirected API request must not reach a provider.
  if (apiPath.test(path)) throw new GatelogError('not_found', apiPathMessage);
  if ((method === 'GET' || method === 'HEAD') && modelList.test(path) && !listsModels(client)) {
    return { provider: customProviderName, destination: 'models', path, routedByModel: false };
  }
  const [, region, belowRegion = ''] = bedrockRegionPath.exec(path) ?? [];
  if (region !== undefined) return bedrockRoute(region, belowRegion, providers);
  if (feedbackPath.test(path)) return feedbackRoute(method, path);
  // A key may stand in any provider's header.
  const named = openAiAlone.test(path) ? undefined : client;
  const native = wireProfile.nativePaths.find(
    (row) =>
      (named === undefined || row.beforeClientHeaders === true) &&
      (row.method === undefined || row.method === method) &&
      row.path.test(path),
  );
  const provider = native?.provider ?? named;
  return provider === undefined ? undefined : nativeRoute(provider, path, providers);
}

function listsModels(client: string | undefined): boolean {
  return client !== undefined && providerDeclaration(client).listsModelsItself === true;
}

export const apiPathMessage =
  "This path is the API's, and this is the gateway; nothing was forwarded. The API listens on a port of its own (GATELOG_API_PORT, 8788 unless set); where one port serves both (GATELOG_PORT), leave out /gateway.";

const apiPath = new RegExp(String.raw`^/v1/(?:${apiPathSegments.join('|')})(?:[/?]|$)`);

/** OpenAI has no such path, so nothing else under it is forwarded. @throws GatelogError `not_found`. */
function feedbackRoute(method: string, path: string): Route {
  if (method === 'POST' && /^\/v1\/feedback\/?(?:\?|$)/.test(path)) {
    return { provider: customProviderName, destination: 'feedback', path, routedByModel: false };
  }
  throw new GatelogError(
    'not_found',
    'At /v1/feedback the gateway takes POST {"helicone-id": "<id>", "rating": true}; nothing was forwarded.',
  );
}

function bedrockRoute(region: string, path: string, { find, bedrockIn }: ProviderTable): Route {
  return { provider: find(bedrockName)?.name ?? customProviderName, destination: bedrockIn(region), path, routedByModel: false, region };
}

function nativeRoute(name: string, path: string, providers: ProviderTable): Route {
  if (name === echoProviderName) return { provider: name, destination: 'echo', path, routedByModel: false };
  const address = providers.find(name);
  if (address !== undefined) return { provider: address.name, destination: address.native, path, routedByModel: false };
  const known = providers.names.map((provider) => `/${provider}/…`).join(', ');
  throw new GatelogError('not_found', `No provider is reached by this path. Use /v1/… (OpenAI's surface) or one of ${known}.`);
}

/**
 * Routes to a base URL that the caller named, with the path unchanged. Only the caller's own key goes there. The call is recorded and
 * priced as one of a known provider where the URL is that provider's.
 * @param source the header or JSON path that named it.
 * @throws GatelogError `invalid_directive` for an invalid URL, `target_not_allowed` for a forbidden one.
 */
export function routeToTarget(address: string, path: string, guard: EgressPolicy, source = 'Svc-Target-Url'): Route {
  rejectPathTraversal(path);
  if (holdsOurKey(address)) throw new GatelogError('invalid_directive', `${source} holds a Gatelog key, which no provider may get.`);
  const checked = guard.check(address);
  if ('problem' in checked) {
    const code = checked.code === 'malformed' ? 'invalid_directive' : 'target_not_allowed';
    throw new GatelogError(code, `${source} ${checked.problem}.`);
  }
  const provider = providerAtOrigin(checked.origin) ?? customProviderName;
  return { provider, destination: endpointAt(checked), path, routedByModel: false };
}

function endpointAt({ origin, pathname, lookUp }: AllowedTarget): ProviderEndpoint {
  const base = { ...parseBaseUrl(origin + pathname), lookUp };
  return { target: (path) => joinAddress(base, path), deploymentCredentials: [], keyHeader: undefined, takesQueryKey: false };
}

/** A base URL may have a path. With the deployment's key nothing outside that path may be reached. */
function rejectPathTraversal(path: string): void {
  if (!hasDotSegments(path)) return;
  throw new GatelogError(
    'malformed_request',
    'The path has a "." or ".." segment, plain or encoded; write the path that you mean without it.',
  );
}

function hasDotSegments(path: string): boolean {
  if (!path.includes('.') && !path.includes('%')) return false;
  const [pathname = ''] = path.split('?', 1);
  const plain = pathname.replaceAll(/%2e/gi, '.').replaceAll(/%2f/gi, '/').replaceAll(/%5c/gi, '\\');
  return dotSegment.test(plain);
}

export interface ModelRoute {
  readonly route: Route;
  readonly model: string;
  /** The gateway chose the provider by a bare name: the caller's own credential is not for it. */
  readonly isPicked?: true;
}

/**
 * Routes by `provider/model` or `model/provider` with a known provider.
 * @returns undefined for any other name, also with slashes.
 */
export function routeByModel(route: Route, model: string, providers: ProviderTable): ModelRoute | undefined {
  const first = model.indexOf('/');
  if (first === -1) return undefined;
  const to = (named: string, name: string): ModelRoute | undefined => {
    const routed = name === '' ? undefined : routeToProvider(route.path, named, providers);
    return routed === undefined ? undefined : { route: routed, model: name };
  };
  const last = model.lastIndexOf('/');
  return to(model.slice(0, first), model.slice(first + 1)) ?? to(model.slice(last + 1), model.slice(0, last));
}

/** Routes to a provider's OpenAI-compatible API. @param named in any case. @returns undefined for an unknown provider. */
export function routeToProvider(path: string, named: string, providers: ProviderTable): Route | undefined {
  const name = named.toLowerCase();
  if (name === echoProviderName) return { provider: name, destination: 'echo', path, routedByModel: true };
  const address = providers.find(name);
  return address === undefined ? undefined : { provider: address.name, destination: address.openAi, path, routedByModel: true };
}
