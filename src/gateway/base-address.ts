/** Path that every provider path may start with and that a base address such as `https://…/v1` ends in already. */
const versionPrefix = '/v1';

/** An address that is called: the path goes out byte for byte. */
export interface ProviderTarget {
  readonly origin: string;
  readonly path: string;
}

/** A provider's base address, taken apart once. */
export interface BaseAddress {
  readonly origin: string;
  /** Path without a slash at its end. */
  readonly path: string;
  readonly endsInVersion: boolean;
}

/** Takes a base address apart. @throws TypeError when it is no URL. */
export function parseBaseAddress(baseUrl: string): BaseAddress {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  return { origin, path, endsInVersion: path.endsWith(versionPrefix) };
}

/**
 * Joins a provider's base address and a caller's path; a leading `/v1` is not doubled.
 * Invariant: the origin is the base address's, whatever the path. TRICKY: the caller's path never goes through `URL`, which would resolve dot
 * segments, take `\` for `/` and rewrite bytes.
 */
export function joinAddress(base: BaseAddress, path: string): ProviderTarget {
  const joined = base.path + (base.endsInVersion ? path.replace(/^\/v1(?=[/?]|$)/, '') : path);
  return { origin: base.origin, path: joined.startsWith('/') ? joined : `/${joined}` };
}
