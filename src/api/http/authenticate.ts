import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { hashKey } from '../../auth/api-key.ts';
import { GatelogError } from '../../model/errors.ts';
import { type Action, may, type Principal } from '../../model/principal.ts';
import type { ApiPorts } from '../ports.ts';

/** The client's IP address; undefined without a connection. */
export function addressOf(context: Context): string | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress;
}

const permissionsFor: Record<Action, string> = { send: 'w', read: 'r or rw', update: 'rw', administer: 'admin' };

/**
 * @returns the caller, who is permitted to do `action`.
 * @throws GatelogError 429 for an address that has sent too many invalid keys; 401 for a missing, malformed or unknown key, or one of
 * another region; 403 for a key without the permission.
 */
export async function authenticate(context: Context, ports: ApiPorts, action: Action): Promise<Principal> {
  const { header, key } = keyOf(context, action);
  if (header !== undefined && key === undefined) {
    throw new GatelogError('missing_key', 'The Authorization header must be written "Bearer <your Gatelog key>".');
  }
  const principal = key === undefined ? undefined : await ports.verifyKey(hashKey(key));
  if (principal === undefined) {
    const rejection = ports.explainRejection(key);
    throw key === undefined ? rejection : ports.failedKeys.reject(addressOf(context), rejection);
  }
  if (!may(principal, action)) {
    throw new GatelogError(
      'permission_denied',
      `This key has the permission "${principal.permissions}"; the call needs ${permissionsFor[action]}.`,
      { details: { permissions: principal.permissions } },
    );
  }
  return principal;
}

/** Where the key may be in a call that only sends, the first counts: exporters and loggers have it as for the gateway. */
const senderHeaders = ['Svc-Auth', 'Helicone-Auth', 'Authorization', 'x-api-key'] as const;

function keyOf(context: Context, action: Action): { readonly header: string | undefined; readonly key: string | undefined } {
  const names = action === 'send' ? senderHeaders : (['Authorization'] as const);
  const name = names.find((each) => context.req.header(each) !== undefined);
  const header = name === undefined ? undefined : context.req.header(name);
  const bearer = header === undefined ? undefined : /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
  return { header, key: bearer ?? (name === 'x-api-key' ? header?.trim() : undefined) };
}
