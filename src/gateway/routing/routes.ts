import { holdsOurKey } from '../../auth/api-key.ts';
import type { AllowedTarget, EgressPolicy } from '../../egress/target-guard.ts';
import { GatelogError } from '../../model/errors.ts';
import { apiPathSegments } from '../../model/vocabulary/api-paths.ts';
import type { AddressedProvider } from '../../model/vocabulary/providers.ts';
import { joinAddress, parseBaseAddress, startsWithSegments } from './base-url.ts';
import { providerAtOrigin } from './provider-addresses.ts';
import { echoProviderName, type ProviderEndpoint, type ProviderTable } from './provider-table.ts';

/** What is answered in this process: the echo provider, the list of models, and a rating as Helicone's clients give it. */
export type BuiltinTarget = 'echo' | 'models' | 'feedback';

/** What is told once: neither sent again nor kept. */
export function isToldOnce(destination: Route['destination']): boolean {
  return destination === 'models' || destination === 'feedback';
}

/** Where a call goes. */
export interface Route {
  /** Registry name of the provider. */
  readonly provider: string;
  readonly destination: ProviderEndpoint | BuiltinTarget;
  /** Path and query below the base address, starting with `/`. */
  readonly path: string;
  /** True for the OpenAI surface under `/v1/`, where the body's model may name another provider. */
  readonly routedByModel: boolean;
  /** Region of Amazon's that the path names. */
  readonly region?: string;
}

/** Provider of what goes to an address of which only the caller knows whose it is, or nowhere. */
export const customProviderName = 'custom';

/** `.` or `..` as a whole segment, also with a matrix parameter: what a server may read as a way out of the path it stands in. */
const dotSegment = /[/\\]\.{1,2}(?:;[^/\\]*)?(?:[/\\]|$)/;

/**
 * Path and query of a request's target. Of the absolute form (`http://host/path`), which every server has to accept, the host means nothing
 * here: calls go where the path says.
 */
export function originForm(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]+/i, '');
  const fragmentAt = path.indexOf('#');
  const whole = fragmentAt === -1 ? path : path.slice(0, fragmentAt);
  return whole === '' || whole.startsWith('?') ? `/${whole}` : whole;
}

/** Starts of paths outside `/v1/` that only one provider's clients call. */
const startsOfOthers: readonly (readonly [start: string, provider: AddressedProvider])[] = [
  ['/v1beta/', 'gemini'],
  ['/v1alpha/', 'gemini'],
  ['/upload/v1beta/', 'gemini'],
  ['/upload/v1alpha/', 'gemini'],
  ['/download/v1beta/', 'gemini'],
  ['/download/v1alpha/', 'gemini'],
  ['/v1beta1/projects/', 'vertex'],
  ['/v1beta1/publishers/', 'vertex'],
];

/**
 * Routes by path: `/v1/…` is the OpenAI surface, most of which is taken without `/v1` too (Helicone's gateway has none in its base address), `/<provider>/…` a provider's own API. What only Anthropic's or Google's clients send leads
 * there without its name. `GET /v1/models` is answered here.
 * @param speaksAnthropic the call is of one of Anthropic's clients, whose paths OpenAI has in part too.
 * @throws GatelogError `not_found` for any other path and for those of the API, `malformed_request` for one that climbs.
 */
export function routeByPath(method: string, path: string, providers: ProviderTable, speaksAnthropic = false): Route {
  rejectPathTraversal(path);
  if (path.startsWith('/v1/')) {
    // Asked first, as most calls are chats: OpenAI's, whatever headers stand beside.
    const beside = path.startsWith('/v1/chat/') ? undefined : routeBesideOpenAi(method, path, providers, speaksAnthropic);
    return beside ?? { provider: 'openai', destination: providers.openAi, path, routedByModel: true };
  }
  const [, other] = startsOfOthers.find(([start]) => path.startsWith(start)) ?? [];
  if (other !== undefined) return nativeRoute(other, path, providers);
  if (rootOfOpenAi.test(path)) return routeByPath(method, `/v1${path}`, providers, speaksAnthropic);
  const [, name = '', rest = ''] = /^\/([a-z0-9-]+)(\/.*)?$/.exec(path) ?? [];
  return nativeRoute(name, rest === '' ? '/' : rest, providers);
}

const rootOfOpenAi = /^\/(?:chat\/completions|responses|embeddings|completions|models|images|audio|moderations)(?:[/?]|$)/;

/** `/v1/<region>/model/…`: the base address that Helicone has for Bedrock ends in `/v1/<region>`. */
const bedrockPath = /^\/v1\/([a-z]{2}(?:-[a-z]+){1,2}-\d{1,2})(\/(?:model|async-invoke|guardrail)\/.*)$/s;
const feedbackPath = /^\/v1\/feedback(?:[/?]|$)/;
const vertexPath = /^\/v1\/(?:projects\/[^/?#]+\/locations|publishers)\//;
/** TRICKY: OpenAI's own models may have colons in their names (`ft:gpt-4o:…`), yet nothing is ever posted to one. */
const geminiMethod = /^\/v1\/(?:models|tunedModels)\/[^/?#]+:[a-zA-Z]+(?:\?|$)/;
const modelList = /^\/v1\/models\/?(?:\?|$)/;

/** Where a path under `/v1/` leads that is not for OpenAI; undefined: it is. @throws GatelogError `not_found` for the API's. */
function routeBesideOpenAi(method: string, path: string, providers: ProviderTable, speaksAnthropic: boolean): Route | undefined {
  refuseApiPath(path);
  if ((method === 'GET' || method === 'HEAD') && modelList.test(path)) {
    return { provider: customProviderName, destination: 'models', path, routedByModel: false };
  }
  const [, region, belowRegion = ''] = bedrockPath.exec(path) ?? [];
  if (region !== undefined) return bedrockRoute(region, belowRegion, providers);
  if (feedbackPath.test(path)) return feedbackRoute(method, path);
  // Anthropic's client for Vertex AI says `anthropic-version` too, so Vertex AI comes first.
  if (vertexPath.test(path)) return nativeRoute('vertex', path, providers);
  if (speaksAnthropic || startsWithSegments(path, '/v1/messages')) return nativeRoute('anthropic', path, providers);
  return method === 'POST' && geminiMethod.test(path) ? nativeRoute('gemini', path, providers) : undefined;
}

/** What is said of a path of the API's. */
export const elsewhere =
  "This path is the API's, and this is the gateway; nothing was forwarded. The API listens on a port of its own (GATELOG_API_PORT, 8788 unless set).";

const apiPath = new RegExp(String.raw`^/v1/(?:${apiPathSegments.join('|')})(?:[/?]|$)`);

/** TRICKY: the two listeners differ by a digit of their port. Sent on, a question to the API would reach the provider with all that it says. */
function refuseApiPath(path: string): void {
  if (!apiPath.test(path)) return;
  throw new GatelogError('not_found', elsewhere);
}

/** OpenAI has no such path. @throws GatelogError `not_found` for what is no rating: it goes to no provider either. */
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
  return { provider: find('bedrock')?.name ?? customProviderName, destination: bedrockIn(region), path, routedByModel: false, region };
}

function nativeRoute(name: string, path: string, providers: ProviderTable): Route {
  if (name === echoProviderName) return { provider: name, destination: 'echo', path, routedByModel: false };
  const address = providers.find(name);
  if (address !== undefined) return { provider: address.name, destination: address.native, path, routedByModel: false };
  const known = providers.names.map((provider) => `/${provider}/…`).join(', ');
  throw new GatelogError('not_found', `No provider is reached by this path. Use /v1/… (OpenAI's surface) or one of ${known}.`);
}

/**
 * Routes to the base address that the caller named, the path as it is. Only the caller's own key goes there, also where a provider that we know
 * is at it: by its name the call is read, priced and recorded.
 * @param place where the caller named it.
 * @throws GatelogError `invalid_directive` when that is no address, `target_not_allowed` when it may not be reached.
 */
export function routeToTarget(address: string, path: string, guard: EgressPolicy, place = 'Svc-Target-Url'): Route {
  rejectPathTraversal(path);
  if (holdsOurKey(address)) throw new GatelogError('invalid_directive', `${place} holds a Gatelog key, which no provider may get.`);
  const checked = guard.check(address);
  if ('problem' in checked) {
    const code = checked.code === 'malformed' ? 'invalid_directive' : 'target_not_allowed';
    throw new GatelogError(code, `${place} ${checked.problem}.`);
  }
  const provider = providerAtOrigin(checked.origin) ?? customProviderName;
  return { provider, destination: surfaceOf(checked), path, routedByModel: false };
}

function surfaceOf({ origin, pathname, lookUp }: AllowedTarget): ProviderEndpoint {
  const base = { ...parseBaseAddress(origin + pathname), lookUp };
  return { target: (path) => joinAddress(base, path), deploymentCredentials: [], keyHeader: undefined, takesQueryKey: false };
}

/** A provider may be reached below a path of its host; what is beside that path is not ours to reach with the deployment's key. */
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

/** A route with the model's name as the provider knows it. */
export interface ModelRoute {
  readonly route: Route;
  readonly model: string;
  /** The gateway chose the provider by the name alone: the caller's own credential was not sent for it. */
  readonly isPicked?: true;
}

/**
 * Routes by a model written `provider/model` or `model/provider` with a provider that we know.
 * @returns undefined for every other name, slashes included: then the path decides.
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

/** The way to what a provider offers to OpenAI's clients; undefined for a name that is no provider's, in any case. */
export function routeToProvider(path: string, named: string, providers: ProviderTable): Route | undefined {
  const name = named.toLowerCase();
  if (name === echoProviderName) return { provider: name, destination: 'echo', path, routedByModel: true };
  const address = providers.find(name);
  return address === undefined ? undefined : { provider: address.name, destination: address.openAi, path, routedByModel: true };
}
