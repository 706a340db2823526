import { GatelogError } from '../errors.ts';
import type { AddressFromPath } from './declaration.ts';

/** A path that starts with one of Azure's APIs names no resource, and someone else may own a resource of that name. */
const startsOfAzure: ReadonlySet<string> = new Set(['openai', 'anthropic', 'models']);

/** `/<resource>/…` becomes the resource's host. @throws GatelogError for a path without a resource. */
export function azureAddress(path: string): AddressFromPath {
  const [start = '', resource = ''] = /^\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?=[/?]|$)/i.exec(path) ?? [];
  if (resource === '' || startsOfAzure.has(resource.toLowerCase())) {
    throw new GatelogError(
      'malformed_request',
      'This path names no Azure resource. Write /azure/<resource>/openai/…, or set GATELOG_PROVIDER_AZURE_URL for this deployment.',
    );
  }
  return { origin: `https://${resource.toLowerCase()}.openai.azure.com`, path: path.slice(start.length) };
}

/** `…/locations/<region>/…` goes to that region's host, any other path to the global one. */
export function vertexAddress(path: string): AddressFromPath {
  const [pathname = ''] = path.split('?', 1);
  const region = /\/locations\/([a-z0-9-]{1,40})(?=[/:]|$)/.exec(pathname)?.[1] ?? 'global';
  if (region === 'global') return { origin: 'https://aiplatform.googleapis.com', path };
  const isMultiRegion = region === 'us' || region === 'eu';
  return {
    origin: isMultiRegion ? `https://aiplatform.${region}.rep.googleapis.com` : `https://${region}-aiplatform.googleapis.com`,
    path,
  };
}
