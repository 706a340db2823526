import type { KeyPermissions } from './principal.ts';

/** What people may be in an organisation, from the narrowest to the widest. Who only sends needs a key and no page. */
export const personPermissions = ['r', 'rw', 'admin'] as const satisfies readonly KeyPermissions[];
export type PersonPermissions = (typeof personPermissions)[number];

/** Where a person's permissions in an organisation come from. `group`: from the issuer's groups, and nobody else changes them. */
export type MembershipSource = 'group' | 'invitation' | 'admin';

/** Somebody with an account at an issuer, which with `subject` identifies the person for good. */
export interface Account {
  readonly issuer: string;
  readonly subject: string;
  /** What the issuer says of the person; shown, and never compared but for an invitation. */
  readonly name: string | null;
  readonly mail: string | null;
}

/** Characters of what an issuer or a browser says, as far as it is stored; invitations and sessions at a time. */
export const peopleLimits = {
  subjectCharacters: 255,
  nameCharacters: 200,
  mailCharacters: 254,
  userAgentCharacters: 200,
  /** Valid, of an organisation. */
  invitations: 200,
  /** Of a person; the oldest ends when one more begins. */
  sessions: 50,
  /** Valid, of a person in an organisation. */
  keys: 50,
} as const;
