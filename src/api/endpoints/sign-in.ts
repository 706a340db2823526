import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { personSessionSeconds } from '../../auth/people/person-sessions.ts';
import { signInSeconds, type SignIns } from '../../auth/people/sign-ins.ts';
import {
  beginSignInParametersSchema,
  finishSignInSchema,
  issuerAnswerSchema,
  signedInByIssuerSchema,
} from '../../contract/settings/session-cookie.ts';
import { GatelogError } from '../../model/errors.ts';
import { requireCsrfHeader, addressOf } from '../endpoint/authenticate.ts';
import { noteCall } from '../endpoint/audited.ts';
import { openEndpoint, rawOpenEndpoint } from '../endpoint/open-endpoint.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { limitSmallBody } from '../http/body-limit.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { readOptionalInput, readQueryParameters } from '../http/read-input.ts';
import { refuseOtherOrigins, setSessionCookie, signedInOf } from '../page/signed-in.ts';
import { callbackPath } from '../parts/sign-in.ts';

const location = { Location: { description: 'Where the browser goes on.', schema: { type: 'string' } } } as const;

/** Sign-in with an account of the issuer. Browsers go through it: `begin`, the issuer, `comeBack`, a page of ours, `finish`. */
export const signIn = [
  openEndpoint({
    at: 'GET /v1/sign-in/issuer',
    id: 'getIssuer',
    summary: 'With whose accounts people sign in',
    answer: issuerAnswerSchema,
    answered: 'The issuer, or none.',
    run: ({ ports }) => {
      const { signIns } = ports.people;
      return signIns === undefined ? null : { name: signIns.issuerName };
    },
  }),
  rawOpenEndpoint({
    at: 'GET /v1/sign-in',
    id: 'beginSignIn',
    summary: "Send a browser to the issuer's sign-in",
    text: 'A browser opens this address. It comes back to `/v1/sign-in/callback`, from where a page of the dashboard ends the sign-in.',
    request: { query: beginSignInParametersSchema },
    answers: { 302: { description: "The issuer's page.", headers: location } },
    errors: [404, 422, 503],
    respond: async ({ context, ports }) => {
      const { next = '/' } = readQueryParameters(context, beginSignInParametersSchema);
      const { address, cookie } = await signInsOf(ports).begin(next);
      setSignInCookie(context, ports, cookie);
      return redirect(context, address);
    },
  }),
  rawOpenEndpoint({
    at: `GET ${callbackPath}`,
    id: 'comeBackFromIssuer',
    summary: 'Take a browser back from the issuer',
    text: 'The address that the issuer must allow. Whatever it brings, the browser goes on to the dashboard, which shows what failed.',
    answers: { 302: { description: 'The page that ends the sign-in.', headers: location } },
    errors: [404, 500],
    respond: async ({ context, ports }) => {
      const cookie = await signInsOf(ports).comeBack(getCookie(context, cookieName(ports)), new URL(context.req.url).search);
      setSignInCookie(context, ports, cookie);
      return redirect(context, `${ports.baseUrl()}/sign-in?finish=true`);
    },
  }),
  openEndpoint({
    at: `POST ${callbackPath}`,
    id: 'finishSignIn',
    summary: 'End a sign-in with the issuer',
    text: 'A page of the dashboard calls it in the browser that came back, with the header `Svc-Csrf: 1`. It sets the cookie of the session, which ends after twelve hours, with the person, by DELETE of `/v1/session-cookie`, or when the issuer says so.',
    request: { body: { required: false, content: jsonContent(finishSignInSchema) } },
    answer: signedInByIssuerSchema,
    answered: 'Signed in; the cookie is in `Set-Cookie`.',
    headers: { 'Set-Cookie': { description: 'The cookie.', schema: { type: 'string' } } },
    errors: [400, 403, 404, 413, 415, 422, 503],
    run: async ({ context, ports }) => {
      refuseOtherOrigins(context);
      requireCsrfHeader(context);
      await limitSmallBody(context);
      const { invitation } = await readOptionalInput(context, finishSignInSchema);
      const cookie = getCookie(context, cookieName(ports));
      deleteCookie(context, cookieName(ports), cookieAttributes(ports));
      const client = { address: addressOf(context), userAgent: context.req.header('User-Agent') };
      const { token, expiresAt, next } = await signInsOf(ports).finish(cookie, { invitation, ...client });
      const principal = await ports.people.sessions.callerOf(token);
      if (principal === undefined) throw new GatelogError('permission_denied', 'The person was removed meanwhile.');
      await noteCall(context, ports, principal, { action: 'signIn' });
      setSessionCookie(context, ports, { token, maxAge: personSessionSeconds });
      return { ...(await signedInOf(ports, principal, expiresAt)), next };
    },
  }),
];

/** @throws GatelogError 404. */
function signInsOf({ people }: ApiPorts): SignIns {
  if (people.signIns !== undefined) return people.signIns;
  throw new GatelogError('not_found', 'People sign in with keys alone here: no issuer of accounts is set (GATELOG_OIDC_ISSUER).');
}

function redirect(context: Context, address: string): Response {
  context.header('Cache-Control', 'no-store');
  context.header('Referrer-Policy', 'no-referrer');
  return context.redirect(address, 302);
}

function cookieName({ browserSessions }: ApiPorts): string {
  return `${browserSessions.cookieName}_sign_in`;
}

function setSignInCookie(context: Context, ports: ApiPorts, value: string): void {
  setCookie(context, cookieName(ports), value, { ...cookieAttributes(ports), maxAge: signInSeconds });
}

/** The issuer's page leads here, so the cookie cannot be the strict one of a session. */
function cookieAttributes({ baseUrl, secureCookies }: ApiPorts) {
  const path = new URL(baseUrl() + callbackPath).pathname;
  return { path, httpOnly: true, sameSite: 'Lax', secure: secureCookies } as const;
}
