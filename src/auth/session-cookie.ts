/** How the names of the dashboard's session cookies begin, whatever the deployment. */
export const sessionCookiePrefix = 'gatelog_session_';

/**
 * A `Cookie` header without the cookies of dashboard sessions. Cookies know no ports: a browser sends them to every listener of a host.
 * @returns the value as it is when it has none; undefined when it has no others.
 */
export function withoutSessionCookies(value: string): string | undefined {
  if (!value.includes(sessionCookiePrefix)) return value;
  const others = value
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => !cookie.startsWith(sessionCookiePrefix));
  return others.length === 0 ? undefined : others.join('; ');
}
