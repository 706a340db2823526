import { parseUuid } from './ids.ts';

/** Steps of a session that its page asks for first. */
export const firstSteps = 200;

/**
 * The call without which a page of the dashboard shows nothing, by the page's address. TRICKY: a browser that was told of it takes that
 * answer only for a call of exactly this address.
 */
export function firstCallOf({ pathname, searchParams }: URL): string | undefined {
  const request = pathname === '/requests' ? searchParams.get('request') : null;
  if (request !== null && parseUuid(request) === undefined) return undefined;
  if (request !== null) return `/v1/request/${request}${searchParams.get('tab') === 'raw' ? '/beginning' : ''}`;
  const session = sessionIn(pathname);
  return session === undefined ? undefined : `/v1/session/${encodeURIComponent(session)}?limit=${firstSteps}`;
}

function sessionIn(pathname: string): string | undefined {
  const [, segment] = /^\/sessions\/([^/]+)$/.exec(pathname) ?? [];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
