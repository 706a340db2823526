import { customProviderName, providerAtOrigin } from '../../model/providers/providers.ts';
import type { LogPath } from '../../model/vocabulary/log-paths.ts';
import { endpointByShape, type PathlessCall, type ShapedEndpoint } from '../../providers/by-shape.ts';
import { eventKindOf, pathlessCall } from '../../providers/custom/events.ts';
import { providerNamed, wireFormatFor } from '../../providers/registry.ts';

/** Where a logged call went, as far as its sender tells. */
export interface LogTarget {
  /** Registry name. */
  readonly provider: string;
  /** A path that the provider's parser understands, where one is known. */
  readonly path: string;
  /** Empty when it was not told. */
  readonly targetUrl: string;
}

/** What a log tells of the address. */
export interface ToldTarget {
  /** `providerRequest.url`: an address, a path, or a word where there is none. */
  readonly url: string;
  /** `provider`: a name in any case; undefined when it was not told. */
  readonly provider: string | undefined;
  readonly logPath: LogPath;
  readonly bodies: Omit<PathlessCall, 'provider'>;
}

/**
 * The provider is the address's, else the one that the log names, else the one of the path that it came by. Where the address has no path
 * that is understood, the endpoint is the one that takes such bodies.
 */
export function targetOf({ url, provider: told, logPath, bodies }: ToldTarget): LogTarget {
  const address = addressIn(url);
  const targetUrl = address === undefined ? '' : url;
  if (eventKindOf(bodies.request) !== undefined || eventKindOf(bodies.response) !== undefined) {
    return { provider: customProviderName, path: pathlessCall, targetUrl };
  }
  // A name that nobody knows is no reason to take the path's: the call would have another provider's price.
  const known = knownProvider(address, told) ?? (told === undefined ? logPath.provider : undefined);
  const shaped = endpointByShape({ ...bodies, provider: known });
  const maker = logPath.takesMaker ? shaped?.maker : undefined;
  const provider = known ?? maker ?? customProviderName;
  return { provider, path: understoodPath(provider, address?.path ?? url, shaped), targetUrl };
}

function knownProvider(address: Address | undefined, told: string | undefined): string | undefined {
  const atAddress = address === undefined ? undefined : providerAtOrigin(address.origin);
  return atAddress ?? (told === undefined ? undefined : providerNamed(told.toLowerCase())?.name);
}

function understoodPath(provider: string, given: string, shaped: ShapedEndpoint | undefined): string {
  const isUnderstood = wireFormatFor(provider, given) !== undefined && given !== pathlessCall;
  return isUnderstood || shaped === undefined ? given : shaped.path;
}

interface Address {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
}

function addressIn(url: string): Address | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}
