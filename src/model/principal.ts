import type { OrganizationId } from './ids.ts';

/** `r` reads, `w` sends and logs, `rw` does both, `admin` also manages the organisation. */
export const keyPermissions = ['rw', 'r', 'w', 'admin'] as const;
export type KeyPermissions = (typeof keyPermissions)[number];

/** The organisation and the key of an authenticated caller. */
export interface Principal {
  readonly organizationId: OrganizationId;
  readonly keyId: string;
  /** SHA-256 in hexadecimal; records store this instead of the key. */
  readonly keyHash: string;
  readonly permissions: KeyPermissions;
}

export type Action = 'send' | 'read' | 'update' | 'administer';

const allowed: Record<Action, readonly KeyPermissions[]> = {
  send: ['w', 'rw', 'admin'],
  read: ['r', 'rw', 'admin'],
  update: ['rw', 'admin'],
  administer: ['admin'],
};

export function may(principal: Principal, action: Action): boolean {
  return allowed[action].includes(principal.permissions);
}
