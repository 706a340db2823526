import type { ServerResponse } from 'node:http';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { passOn, type PassOnOptions } from './pass-on.ts';
import type { FrontResponse } from './sandboxed.ts';

export interface FrontOptions extends PassOnOptions {
  /** Before all paths; empty or `/…`. */
  readonly basePath: string;
  /** Of the gateway, behind the base path. */
  readonly gatewayPath: string;
}

/** @returns false for a request to the gateway, whose `url` then is the one below its path. */
export type Front = (request: IncomingRequest, response: ServerResponse) => boolean;

/**
 * The one listener of gateway and API (`GATELOG_PORT`): what lies below the gateway's path is its own, all else is passed on to the core.
 */
export function makeFront({ basePath, gatewayPath, ...options }: FrontOptions): Front {
  const gateway = basePath + gatewayPath;
  return (request, response) => {
    const path = originForm(request.url ?? '');
    const below = pathBelow(gateway, path);
    request.url = below ?? pathBelow(basePath, path) ?? path;
    if (below !== undefined) return false;
    (response as FrontResponse).isOfApi = true;
    // Probes know no base path.
    if (basePath === '' || request.url !== path || probes.has(path)) passOn(request, response, options);
    else leadToBase(request, response, basePath);
    return true;
  };
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** RFC 9112 §3.2.2: a server takes the absolute form too. */
function originForm(url: string): string {
  return /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url;
}

/** The path below a prefix, with its query; undefined for a path elsewhere. */
function pathBelow(prefix: string, path: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const rest = path.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}

/** `/` leads to the dashboard; everything else outside of the base path is none of ours. */
function leadToBase({ url = '', method }: IncomingRequest, response: ServerResponse, basePath: string): void {
  const leads = (url === '/' || url === '') && (method === 'GET' || method === 'HEAD');
  const error = `There is nothing at this path: everything here lies below ${basePath} (GATELOG_BASE_PATH).`;
  const body = Buffer.from(`${JSON.stringify({ data: null, error, code: 'not_found' })}\n`);
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(body.length),
    'x-content-type-options',
    'nosniff',
  ];
  response.writeHead(leads ? 307 : 404, leads ? [...headers, 'location', `${basePath}/`] : headers);
  response.end(method === 'HEAD' ? undefined : body);
}
