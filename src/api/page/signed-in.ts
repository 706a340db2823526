import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import type { SignedIn } from '../../contract/settings/session-cookie.ts';
import { GatelogError } from '../../model/errors.ts';
import { isPersonSession, type Principal } from '../../model/principal.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

/** Who calls. @param expiresAt of the session, Unix milliseconds; null for a call with a key. */
export async function signedInOf(ports: ApiPorts, principal: Principal, expiresAt: number | null): Promise<SignedIn> {
  const { organizationId, keyId, permissions, personId } = principal;
  const isOwn = isPersonSession(principal);
  const [organizationName, keys, person, memberships] = await Promise.all([
    ports.organizationName(organizationId),
    isOwn ? [] : ports.apiKeys.list(organizationId),
    personId === undefined ? undefined : ports.people.find(personId),
    personId === undefined || !isOwn ? [] : ports.people.memberships(personId),
  ]);
  return {
    organization_id: organizationId,
    organization_name: organizationName ?? '',
    key_id: isOwn ? null : keyId,
    key_name: isOwn ? null : (keys.find(({ id }) => id === keyId)?.name ?? ''),
    key_permissions: permissions,
    person: person === undefined ? null : { id: person.id, name: person.name, mail: person.mail },
    organizations: memberships.map((one) => ({ id: one.organizationId, name: one.organizationName, permissions: one.permissions })),
    firing_alerts: ports.alerts.countFiring(organizationId),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

/** Sets the cookie of a session, which pages of other sites do not send. @param given seconds of its life. */
export function setSessionCookie(context: Context, ports: ApiPorts, given: { readonly token: string; readonly maxAge: number }): void {
  setCookie(context, ports.browserSessions.cookieName, given.token, { ...cookieAttributes(ports), maxAge: given.maxAge });
}

export function cookieAttributes({ secureCookies, site: { basePath } }: ApiPorts) {
  return { path: basePath || '/', httpOnly: true, sameSite: 'Strict', secure: secureCookies } as const;
}

/**
 * A page of another origin must not sign somebody in with a key of its own. TRICKY: `SameSite` knows no ports, so a page of another port of
 * this host could. Browsers say whose page calls; an older one asks before it sends JSON that is declared as such.
 * @throws GatelogError 403.
 */
export function refuseOtherOrigins(context: Context): void {
  const site = context.req.header('Sec-Fetch-Site');
  const isSimple = context.req.header('Origin') !== undefined && context.req.header('Content-Type') === undefined;
  if (site === undefined ? !isSimple : site === 'same-origin' || site === 'none') return;
  throw new GatelogError(
    'permission_denied',
    'A page of another origin cannot sign a browser in here. Open the dashboard at its own address.',
  );
}
