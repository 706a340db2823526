import { GatelogError } from '../../model/errors.ts';
import { apiPathSegments } from '../../model/vocabulary/api-paths.ts';
import { addressedProviders } from '../../model/providers/providers.ts';

/** First path segments of the gateway outside `/v1/`: providers, paths that only their clients use, and OpenAI's paths without `/v1`. */
const gatewayRoots: ReadonlySet<string> = new Set([
  ...addressedProviders,
  'echo',
  'v1beta',
  'v1beta1',
  'v1alpha',
  'upload',
  'chat',
  'completions',
  'responses',
  'embeddings',
  'models',
  'images',
  'audio',
  'moderations',
]);
const apiSegments: ReadonlySet<string> = new Set(apiPathSegments);

/** The error for a path without an endpoint. It recognises the gateway's paths, because the two ports differ by one digit. */
export function unknownPath(method: string, path: string): GatelogError {
  const sentence = isGateways(path)
    ? "This path is the gateway's, and this is the API; nothing was forwarded. The gateway listens on a port of its own (GATELOG_GATEWAY_PORT, 8787 unless set); where one port serves both (GATELOG_PORT), it is at /gateway."
    : `There is no endpoint ${method} ${path}; see /openapi.json.`;
  return new GatelogError('not_found', sentence);
}

/** Whether a path without an endpoint is no program's: a reader's browser gets a page for it. */
export function isPagePath(path: string): boolean {
  return !isGateways(path) && !/^\/v1(?:\/|$)/.test(path);
}

function isGateways(path: string): boolean {
  const [, first = '', second = ''] = path.split('/', 3);
  return first === 'v1' ? second !== '' && !apiSegments.has(second) : gatewayRoots.has(first);
}

/**
 * Whether a path looks like a query and matches only a parameter: `POST /v1/user/query` does not mean the user named `query`, and a
 * response that allows `DELETE` would lead to that user's erasure.
 */
export function readsAsQuery(method: string, path: string): boolean {
  return method === 'POST' && path.endsWith('/query');
}
