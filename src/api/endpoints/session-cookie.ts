import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { hashKey } from '../../auth/api-key.ts';
import { sessionSeconds } from '../../auth/browser-sessions.ts';
import { doneSchema } from '../../contract/responses.ts';
import { signedInAnswerSchema, type SignedIn, signedInOrNobodySchema, signInSchema } from '../../contract/settings/session-cookie.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { authenticate, permitted, principalOfKey, requireCsrfHeader, sessionOf } from '../endpoint/authenticate.ts';
import { limitSmallBody } from '../http/body-limit.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { readInput } from '../http/read-input.ts';
import { openEndpoint } from '../endpoint/open-endpoint.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

export const sessionCookie = [
  openEndpoint({
    at: 'GET /v1/session-cookie',
    id: 'getSignedIn',
    summary: 'Who calls',
    text: 'The organisation and the key of the caller, by a cookie or by a key. Without an open session and without a key: null, which is no error.',
    answer: signedInOrNobodySchema,
    answered: 'The caller, or nobody.',
    errors: [401, 403, 429, 503],
    run: async ({ context, ports }) => {
      const session = sessionOf(context, ports);
      const isByKey = context.req.header('Authorization') !== undefined;
      const isKnown = isByKey || (session !== undefined && (await ports.verifyKey(session.keyHash)) !== undefined);
      if (!isKnown) return null;
      const principal = await authenticate(context, ports, 'read');
      return signedInOf(ports, principal, isByKey ? null : (session?.expiresAt ?? null));
    },
  }),
  openEndpoint({
    at: 'POST /v1/session-cookie',
    id: 'signIn',
    summary: 'Sign a browser in with a key',
    text: 'Sets an http-only cookie that stands for the key on this listener. It ends with the key, after twelve hours, or by DELETE. A call that changes something by the cookie needs the header `Svc-Csrf: 1`. The key must be permitted to read.',
    request: { body: { required: true, content: jsonContent(signInSchema) } },
    answer: signedInAnswerSchema,
    answered: 'Signed in; the cookie is in `Set-Cookie`.',
    headers: { 'Set-Cookie': { description: 'The cookie.', schema: { type: 'string' } } },
    errors: [400, 401, 403, 413, 415, 422, 429, 503],
    run: async ({ context, ports }) => {
      refuseOtherOrigins(context);
      await limitSmallBody(context);
      const { apiKey } = await readInput(context, signInSchema);
      const principal = permitted(await principalOfKey(context, ports, apiKey.trim()), 'read');
      const { token, expiresAt } = await ports.browserSessions.begin(hashKey(apiKey.trim()));
      setCookie(context, ports.browserSessions.cookieName, token, { ...cookieAttributes(ports), maxAge: sessionSeconds });
      return signedInOf(ports, principal, expiresAt);
    },
  }),
  openEndpoint({
    at: 'DELETE /v1/session-cookie',
    id: 'signOut',
    summary: 'Sign a browser out',
    text: 'Ends the session of the cookie on the server and takes the cookie back. It needs the header `Svc-Csrf: 1`.',
    answer: doneSchema,
    answered: 'Signed out, also without a session.',
    errors: [403, 503],
    run: async ({ context, ports }) => {
      requireCsrfHeader(context);
      const { browserSessions } = ports;
      const token = getCookie(context, browserSessions.cookieName);
      if (token !== undefined) await browserSessions.end(token);
      deleteCookie(context, browserSessions.cookieName, cookieAttributes(ports));
      return null;
    },
  }),
];

/** @param expiresAt Unix milliseconds; null for a call with a key. */
async function signedInOf(ports: ApiPorts, principal: Principal, expiresAt: number | null): Promise<SignedIn> {
  const { organizationId, keyId, permissions } = principal;
  const [organizationName, keys] = await Promise.all([ports.organizationName(organizationId), ports.apiKeys.list(organizationId)]);
  return {
    organization_id: organizationId,
    organization_name: organizationName ?? '',
    key_id: keyId,
    key_name: keys.find(({ id }) => id === keyId)?.name ?? '',
    key_permissions: permissions,
    firing_alerts: ports.alerts.countFiring(organizationId),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

function cookieAttributes({ secureCookies }: ApiPorts) {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: secureCookies } as const;
}

/**
 * A page of another origin must not sign somebody in with a key of its own. TRICKY: `SameSite` knows no ports, so a page of another port of
 * this host could. Browsers say whose page calls; an older one asks before it sends JSON that is declared as such.
 * @throws GatelogError 403.
 */
function refuseOtherOrigins(context: Context): void {
  const site = context.req.header('Sec-Fetch-Site');
  const isSimple = context.req.header('Origin') !== undefined && context.req.header('Content-Type') === undefined;
  if (site === undefined ? !isSimple : site === 'same-origin' || site === 'none') return;
  throw new GatelogError(
    'permission_denied',
    'A page of another origin cannot sign a browser in here. Open the dashboard at its own address.',
  );
}
