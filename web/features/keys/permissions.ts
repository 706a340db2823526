import type { ApiKey } from '../../../src/client/client.ts';

export type Permission = ApiKey['key_permissions'];

export const permissionLabels: Readonly<Record<Permission, string>> = {
  rw: 'send calls, query, change records',
  r: 'query',
  w: 'send calls and logs',
  admin: 'everything, settings too',
};

export const permissionOptions = Object.entries(permissionLabels).map(([value, label]) => ({
  value: value as Permission,
  label: `${value}: ${label}`,
}));

export function keysSearchOf({ revoked }: Readonly<Record<string, unknown>>): { readonly revoked?: boolean | undefined } {
  return revoked === true ? { revoked } : {};
}
