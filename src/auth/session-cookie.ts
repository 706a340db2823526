/** How the names of the dashboard's session cookies begin, whatever the deployment, behind `__Host-` or `__Secure-` where they are secure. */
export const sessionCookiePrefix = 'gatelog_session_';

/** TRICKY: the length is bounded, or a header of many prefixes would take quadratic time. */
const sessionCookie = new RegExp(`${sessionCookiePrefix}[^=;,]{0,64}=`, 'i');
const anyCase = new RegExp(sessionCookiePrefix, 'i');

/**
 * A `Cookie` header without the cookies of dashboard sessions. Cookies know no ports: a browser sends them to every listener of a host.
 * Whatever stands between browser and gateway may have joined cookies with commas, quoted them, or changed the case of their names.
 * @returns the value as it is when it has none; undefined when it has no others.
 */
export function withoutSessionCookies(value: string): string | undefined {
  if (!anyCase.test(value)) return value;
  const others = value
    .split(';')
    .map(withoutSessions)
    .filter((cookie) => cookie !== '');
  return others.length === 0 ? undefined : others.join('; ');
}

function withoutSessions(cookie: string): string {
  if (!sessionCookie.test(cookie)) return cookie.trim();
  const others = cookie.split(',').filter((part) => !sessionCookie.test(part));
  return others.join(',').trim();
}
