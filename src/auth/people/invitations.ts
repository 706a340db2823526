import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { MetadataDatabase } from '../../metadata/database.ts';
import {
  type AcceptedInvitation,
  acceptInvitation,
  addInvitation,
  type Invitation,
  listInvitations,
  removeInvitation,
} from '../../metadata/people/invitations.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { peopleLimits, type PersonPermissions } from '../../model/people.ts';

export interface NewInvitation {
  readonly permissions: PersonPermissions;
  readonly mail: string | null;
  readonly days: number;
  /** Identifier of the person; null: by a key of the organisation. */
  readonly invitedBy: string | null;
}

const dayMs = 86_400_000;
const tokenBytes = 32;

/** Invitations of organisations. A token is random, is in its link only, and is stored as its hash. */
export interface Invitations {
  /** Durable on return. */
  readonly add: (
    organizationId: OrganizationId,
    given: NewInvitation,
  ) => Promise<{ readonly invitation: Invitation; readonly token: string } | 'too_many'>;
  /** Those that can be used, the newest first. */
  readonly list: (organizationId: OrganizationId) => Promise<readonly Invitation[]>;
  /** Durable on return. @returns false when there is no such invitation, or it was used. */
  readonly remove: (organizationId: OrganizationId, id: string) => Promise<boolean>;
  /** Makes a person a member. Durable on return. @throws GatelogError 404, 403. */
  readonly accept: (token: string, personId: string, verifiedMail: string | null) => Promise<AcceptedInvitation>;
}

/** @param now Unix milliseconds. */
export function makeInvitations(database: MetadataDatabase, now: () => number): Invitations {
  return {
    add: async (organizationId, { days, ...given }) => {
      const token = randomBytes(tokenBytes).toString('base64url');
      const invitation = { id: v7(), organizationId, ...given, createdAt: now(), expiresAt: now() + days * dayMs };
      const refused = await addInvitation(database, { ...invitation, tokenHash: hashOf(token) }, peopleLimits.invitations);
      return refused ?? { invitation: { ...invitation, usedAt: null, usedBy: null }, token };
    },
    list: (organizationId) => listInvitations(database, organizationId, now()),
    remove: (organizationId, id) => removeInvitation(database, organizationId, id),
    accept: async (token, personId, verifiedMail) => {
      const accepted = await acceptInvitation(database, hashOf(token), { personId, verifiedMail, at: now() });
      if (accepted === 'unknown') {
        throw new GatelogError('not_found', 'This invitation was used, taken back, or has expired. Ask for another one.');
      }
      if (accepted === 'other_mail') {
        throw new GatelogError(
          'permission_denied',
          'This invitation is for another mail address, or the issuer has not verified yours. Ask for one without an address.',
        );
      }
      return accepted;
    },
  };
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
