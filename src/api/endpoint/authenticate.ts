import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { ClientBindings } from '../http/client-bindings.ts';
import { bearerKey, hashKey } from '../../auth/api-key.ts';
import { GatelogError } from '../../model/errors.ts';
import { type Action, isPersonSession, may, type Principal } from '../../model/principal.ts';
import type { ApiPorts } from './ports.ts';

/** The client's IP address; undefined without a connection. */
export function addressOf(context: Context): string | undefined {
  return (context.env as Partial<ClientBindings> | undefined)?.clientAddress?.();
}

const permissionsFor: Record<Action, string> = {
  send: 'w',
  read: 'r or rw',
  update: 'rw',
  own: 'admin, or a person who has signed in',
  administer: 'admin',
};

/**
 * Takes the caller's key from a header, or else from the session of a browser's cookie.
 * @returns the caller, who is permitted to do `action`.
 * @throws GatelogError 429 for an address that has sent too many invalid keys; 401 for a missing, malformed or unknown key, or one of
 * another region, or an ended session; 403 for a key without the permission, or a change by cookie without `Svc-Csrf`.
 */
export async function authenticate(context: Context, ports: ApiPorts, action: Action): Promise<Principal> {
  const { header, key } = keyOf(context, action);
  if (header !== undefined && key === undefined) {
    throw new GatelogError('missing_key', 'The Authorization header must be written "Bearer <your Gatelog key>".');
  }
  if (key === undefined) return permitted(await principalOfSession(context, ports, action), action);
  return permitted(await principalOfKey(context, ports, key), action);
}

/** @throws GatelogError 401 or 429, as {@link authenticate}. */
export async function principalOfKey(context: Context, ports: ApiPorts, key: string): Promise<Principal> {
  const principal = await ports.verifyKey(hashKey(key));
  if (principal === undefined) throw ports.failedKeys.reject(addressOf(context), ports.explainRejection(key));
  return principal;
}

/** The open session of a call's cookie: one that stands for a key, or a person's own. */
export interface CalledSession {
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** SHA-256 of the key; undefined: the session is a person's own. */
  readonly keyHash: string | undefined;
}

/** The open session of the call's cookie. */
export function sessionOf(context: Context, { browserSessions, people }: ApiPorts): CalledSession | undefined {
  const token = getCookie(context, browserSessions.cookieName);
  if (token === undefined) return undefined;
  const ofKey = browserSessions.find(token);
  if (ofKey !== undefined) return { token, ...ofKey };
  const own = people.sessions.find(token);
  return own && { token, expiresAt: own.expiresAt, keyHash: undefined };
}

/** Who calls by a session; undefined once its key is revoked, or its person may not sign in any more. */
export async function principalOf(session: CalledSession, ports: ApiPorts): Promise<Principal | undefined> {
  return session.keyHash === undefined ? ports.people.sessions.callerOf(session.token) : ports.verifyKey(session.keyHash);
}

async function principalOfSession(context: Context, ports: ApiPorts, action: Action): Promise<Principal> {
  if (getCookie(context, ports.browserSessions.cookieName) === undefined) throw ports.explainRejection(undefined);
  const session = sessionOf(context, ports);
  const principal = session === undefined ? undefined : await principalOf(session, ports);
  if (principal === undefined) throw new GatelogError('invalid_key', 'The session has ended; sign in again (POST /v1/session-cookie).');
  // A browser keeps no copy for whoever comes after the sign-out.
  context.header('Cache-Control', 'no-store');
  // Lists of keys are for administrators, and reading one changes nothing.
  if (action !== 'read' && context.req.method !== 'GET') requireCsrfHeader(context);
  return principal;
}

/** Another site's page cannot send this header without a preflight. @throws GatelogError 403. */
export function requireCsrfHeader(context: Context): void {
  if (context.req.header('Svc-Csrf') === '1') return;
  throw new GatelogError('csrf_header_missing', 'A call by session cookie that changes something needs the header "Svc-Csrf: 1".');
}

/** @returns the principal. @throws GatelogError 403 when it may not do `action`. */
export function permitted(principal: Principal, action: Action): Principal {
  if (may(principal, action)) return principal;
  const who = isPersonSession(principal) ? 'You have' : 'This key has';
  throw new GatelogError(
    'permission_denied',
    `${who} the permission "${principal.permissions}"; the call needs ${permissionsFor[action]}.`,
    { details: { permissions: principal.permissions } },
  );
}

/** Where the key may be in a call that only sends, the first counts: exporters and loggers have it as for the gateway. */
const senderHeaders = ['Svc-Auth', 'Helicone-Auth', 'Authorization', 'x-api-key'] as const;

function keyOf(context: Context, action: Action): { readonly header: string | undefined; readonly key: string | undefined } {
  const names = action === 'send' ? senderHeaders : (['Authorization'] as const);
  const name = names.find((each) => context.req.header(each) !== undefined);
  const header = name === undefined ? undefined : context.req.header(name);
  const bearer = header === undefined ? undefined : bearerKey(header);
  return { header, key: bearer ?? (name === 'x-api-key' ? header?.trim() : undefined) };
}
