import { deleteCookie, getCookie } from 'hono/cookie';
import { hashKey } from '../../auth/api-key.ts';
import { sessionSeconds } from '../../auth/browser-sessions.ts';
import {
  chosenOrganizationSchema,
  signedInAnswerSchema,
  signedInOrNobodySchema,
  signedOutSchema,
  signInSchema,
} from '../../contract/settings/session-cookie.ts';
import { GatelogError } from '../../model/errors.ts';
import { authenticate, permitted, principalOf, principalOfKey, requireCsrfHeader, sessionOf } from '../endpoint/authenticate.ts';
import { limitSmallBody } from '../http/body-limit.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { readInput } from '../http/read-input.ts';
import { noteCall } from '../endpoint/audited.ts';
import { openEndpoint } from '../endpoint/open-endpoint.ts';
import { cookieAttributes, refuseOtherOrigins, setSessionCookie, signedInOf } from '../page/signed-in.ts';

export const sessionCookie = [
  openEndpoint({
    at: 'GET /v1/session-cookie',
    id: 'getSignedIn',
    summary: 'Who calls',
    text: 'The organisation and the key, or the person, of the caller, by a cookie or by a key. Without an open session and without a key: null, which is no error.',
    answer: signedInOrNobodySchema,
    answered: 'The caller, or nobody.',
    errors: [401, 403, 429, 503],
    run: async ({ context, ports }) => {
      const session = sessionOf(context, ports);
      const isByKey = context.req.header('Authorization') !== undefined;
      const isKnown = isByKey || (session !== undefined && (await principalOf(session, ports)) !== undefined);
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
      await noteCall(context, ports, principal, { action: 'signIn' });
      setSessionCookie(context, ports, { token, maxAge: sessionSeconds });
      return signedInOf(ports, principal, expiresAt);
    },
  }),
  openEndpoint({
    at: 'DELETE /v1/session-cookie',
    id: 'signOut',
    summary: 'Sign a browser out',
    text: 'Ends the session of the cookie on the server and takes the cookie back. It needs the header `Svc-Csrf: 1`.',
    answer: signedOutSchema,
    answered: 'Signed out, also without a session.',
    errors: [403, 503],
    run: async ({ context, ports }) => {
      requireCsrfHeader(context);
      const { browserSessions, people } = ports;
      const token = getCookie(context, browserSessions.cookieName);
      deleteCookie(context, browserSessions.cookieName, cookieAttributes(ports));
      if (token === undefined) return null;
      const session = sessionOf(context, ports);
      const principal = session?.keyHash === undefined ? undefined : await ports.verifyKey(session.keyHash);
      await browserSessions.end(token);
      const ended = await people.sessions.end({ token });
      const who = ended ?? principal;
      if (who !== undefined) await noteCall(context, ports, who, { action: 'signOut' });
      const end = ended === undefined ? undefined : await people.issuerEnd(ended, `${ports.baseUrl()}/sign-in`);
      return { issuer_address: end ?? null };
    },
  }),
  openEndpoint({
    at: 'PATCH /v1/session-cookie',
    id: 'chooseOrganization',
    summary: "Choose the organisation of a person's session",
    text: 'One of the organisations that `GET /v1/session-cookie` lists. It needs the header `Svc-Csrf: 1`.',
    request: { body: { required: true, content: jsonContent(chosenOrganizationSchema) } },
    answer: signedInAnswerSchema,
    answered: 'The session goes on there.',
    errors: [400, 401, 403, 404, 413, 415, 422, 503],
    run: async ({ context, ports }) => {
      requireCsrfHeader(context);
      await limitSmallBody(context);
      const { organization_id: chosen } = await readInput(context, chosenOrganizationSchema);
      const session = sessionOf(context, ports);
      const principal = session === undefined || session.keyHash !== undefined ? undefined : await principalOf(session, ports);
      if (session === undefined || principal?.personId === undefined) {
        throw new GatelogError('invalid_key', 'No person is signed in here; a key has one organisation.');
      }
      const memberships = await ports.people.memberships(principal.personId);
      const membership = memberships.find(({ organizationId }) => organizationId === chosen.toLowerCase());
      if (membership === undefined) {
        throw new GatelogError('not_found', 'You belong to no such organisation; GET /v1/session-cookie lists yours.');
      }
      const { organizationId, permissions } = membership;
      await ports.people.sessions.choose(session.token, organizationId);
      const there = { ...principal, organizationId, permissions };
      await noteCall(context, ports, there, { action: 'chooseOrganization' });
      return signedInOf(ports, there, session.expiresAt);
    },
  }),
];
