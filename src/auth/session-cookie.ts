/** How the names of the dashboard's session cookies begin, whatever the deployment. */
export const sessionCookiePrefix = 'gatelog_session_';

/**
 * A `Cookie` header without the cookies of dashboard sessions. Cookies know no ports: a browser sends them to every listener of a host.
 * @returns the value as it is when it has none.
 */
export function withoutSessionCookies(value: string): string {
  if (!value.includes(sessionCookiePrefix)) return value;
  return value
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => !cookie.startsWith(sessionCookiePrefix))
    .join('; ');
}
