import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { signInSeconds, type SignIns } from '../../auth/people/sign-ins.ts';
import { GatelogError } from '../../model/errors.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { callbackPath } from '../parts/sign-in.ts';

/** @throws GatelogError 404. */
export function signInsOf({ people }: ApiPorts): SignIns {
  if (people.signIns !== undefined) return people.signIns;
  throw new GatelogError('not_found', 'People sign in with keys alone here: no issuer of accounts is set (GATELOG_OIDC_ISSUER).');
}

/** The stage of a sign-in, which the browser brings back to the callback alone. */
export function signInCookie(context: Context, ports: ApiPorts): string | undefined {
  return getCookie(context, nameOf(ports));
}

export function setSignInCookie(context: Context, ports: ApiPorts, value: string): void {
  setCookie(context, nameOf(ports), value, { ...attributesOf(ports), maxAge: signInSeconds });
}

export function deleteSignInCookie(context: Context, ports: ApiPorts): void {
  deleteCookie(context, nameOf(ports), attributesOf(ports));
}

function nameOf({ browserSessions }: ApiPorts): string {
  return browserSessions.signInCookieName;
}

/** The issuer's page leads to the callback, so the cookie cannot be the strict one of a session. */
function attributesOf({ baseUrl, secureCookies }: ApiPorts) {
  const path = new URL(baseUrl() + callbackPath).pathname;
  return { path, httpOnly: true, sameSite: 'Lax', secure: secureCookies } as const;
}
