import type { OrganizationId } from './ids.ts';

/** `r` reads, `w` sends and logs, `rw` does both, `admin` also manages the organisation. */
export const keyPermissions = ['rw', 'r', 'w', 'admin'] as const;
export type KeyPermissions = (typeof keyPermissions)[number];

/** The organisation of an authenticated caller, with the key or the person. */
export interface Principal {
  readonly organizationId: OrganizationId;
  /** Of the key; of the person for a session of a person's own. */
  readonly keyId: string;
  /** SHA-256 in hexadecimal; records store this instead of the key. */
  readonly keyHash: string;
  readonly permissions: KeyPermissions;
  /** Who has signed in, or whose key it is; absent for a key of the organisation. */
  readonly personId?: string;
}

/** `own`: keys and sessions of the person who calls; who administers does so with everybody's. */
export type Action = 'send' | 'read' | 'update' | 'own' | 'administer';

const allowed: Record<Exclude<Action, 'own'>, readonly KeyPermissions[]> = {
  send: ['w', 'rw', 'admin'],
  read: ['r', 'rw', 'admin'],
  update: ['rw', 'admin'],
  administer: ['admin'],
};

export function may(principal: Principal, action: Action): boolean {
  const isAllowed = (one: Exclude<Action, 'own'>): boolean => allowed[one].includes(principal.permissions);
  return action === 'own' ? isAllowed('administer') || isPersonSession(principal) : isAllowed(action);
}

/** Whether the caller is a person who has signed in, and not one of their keys: a key that was lost must not make others. */
export function isPersonSession({ personId, keyId }: Principal): boolean {
  return personId !== undefined && personId === keyId;
}

/** What both allow; undefined when that is nothing. */
export function commonPermissions(one: KeyPermissions, other: KeyPermissions): KeyPermissions | undefined {
  const [wider, narrower] = widest.indexOf(one) <= widest.indexOf(other) ? [one, other] : [other, one];
  return wider === narrower || wider === 'admin' || wider === 'rw' ? narrower : undefined;
}

/** Before each that it allows. `r` and `w` allow nothing of each other. */
const widest: readonly KeyPermissions[] = ['admin', 'rw', 'r', 'w'];
