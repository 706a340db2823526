import type { OrganizationId } from './ids.ts';

/** What a key may do: `r` read, `w` send and log, `rw` both, `admin` both and settings of the organisation. */
export const keyPermissions = ['rw', 'r', 'w', 'admin'] as const;
export type KeyPermissions = (typeof keyPermissions)[number];

/** Who asks: the organisation behind an accepted key. */
export interface Principal {
  readonly organizationId: OrganizationId;
  readonly keyId: string;
  /** SHA-256 of the key, hexadecimal: what a record keeps of it. */
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

/** Whether the key allows this. */
export function may(principal: Principal, action: Action): boolean {
  return allowed[action].includes(principal.permissions);
}
