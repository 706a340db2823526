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

/**
 * Routes by path alone: `/v1/…` is the OpenAI surface, `/<provider>/…` a provider's own API.
 * @throws GatelogError `not_found` for any other path, `malformed_request` for one that climbs.
 */
export function routeByPath(path: string, providers: ProviderTable): Route {
  if (climbs(path)) {
    throw new GatelogError(
      'malformed_request',
      'The path has a "." or ".." segment, plain or encoded; write the path that you mean without it.',
    );
  }
  if (path.startsWith('/v1/')) return { provider: 'openai', path, routedByModel: true };
  const [, name = '', rest = ''] = /^\/([a-z0-9-]+)(\/.*)?$/.exec(path) ?? [];
  if (providers.find(name) !== undefined || name === echoProviderName) {
    return { provider: name, path: rest === '' ? '/' : rest, routedByModel: false };
  }
  const known = providers.names.map((provider) => `/${provider}/…`).join(', ');
  throw new GatelogError('not_found', `No provider is reached by this path. Use /v1/… (OpenAI's surface) or one of ${known}.`);
}

/** A provider may be reached below a path of its host; what is beside that path is not ours to reach with the deployment's key. */
function climbs(path: string): boolean {
  if (!path.includes('.') && !path.includes('%')) return false;
  const [pathname = ''] = path.split('?', 1);
  const plain = pathname.replaceAll(/%2e/gi, '.').replaceAll(/%2f/gi, '/').replaceAll(/%5c/gi, '\\');
  return dotSegment.test(plain);
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
  const to = (provider: string, name: string): ModelRoute | undefined =>
    name !== '' && providers.names.includes(provider) ? { route: { ...route, provider }, model: name } : undefined;
  const last = model.lastIndexOf('/');
  return to(model.slice(0, first), model.slice(first + 1)) ?? to(model.slice(last + 1), model.slice(0, last));
}
