import type { Selectable } from 'kysely';
import type { OrganizationId } from '../../model/ids.ts';
import { type PersonPermissions, personPermissions } from '../../model/people.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataQueries } from '../database.ts';
import type { InvitationsTable } from '../schema/schema.ts';
import { type Membership, membershipIn, putMembership } from './members.ts';

/** An invitation as stored: by its token's hash, never itself. Times are Unix milliseconds. */
export interface Invitation {
  readonly id: string;
  readonly organizationId: OrganizationId;
  readonly permissions: PersonPermissions;
  /** Only who has this address, as the issuer has verified it, may use it; null: whoever has the link. */
  readonly mail: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
  /** Identifier of the person. */
  readonly usedBy: string | null;
  /** Identifier of the person, with whose rights the invitation goes; null: by a key of the organisation. */
  readonly invitedBy: string | null;
}

export type NewInvitation = Omit<Invitation, 'usedAt' | 'usedBy'> & { readonly tokenHash: string };

/** Stores an invitation. Durable on return in the core. @param max that are valid at a time in an organisation. */
export async function addInvitation(database: MetadataQueries, invitation: NewInvitation, max: number): Promise<'too_many' | undefined> {
  const { id, organizationId, tokenHash, permissions, mail, createdAt, expiresAt, invitedBy } = invitation;
  return inWriteTransaction(database, async ({ queries }) => {
    // Of one that has expired nobody needs to know; one that was used tells how its person came.
    await queries.deleteFrom('invitations').where('expires_at', '<=', createdAt).where('used_at', 'is', null).execute();
    const { valid } = await queries
      .selectFrom('invitations')
      .select((row) => row.fn.countAll<number>().as('valid'))
      .where('organization_id', '=', organizationId)
      .where('used_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (valid >= max) return 'too_many';
    await queries
      .insertInto('invitations')
      .values({
        id,
        organization_id: organizationId,
        token_hash: tokenHash,
        permissions,
        mail,
        created_at: createdAt,
        expires_at: expiresAt,
        used_at: null,
        used_by: null,
        invited_by: invitedBy,
      })
      .execute();
    return undefined;
  });
}

/** Invitations of an organisation that can be used, the newest first. @param at Unix milliseconds. */
export async function listInvitations(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
  at: number,
): Promise<readonly Invitation[]> {
  const rows = await queries
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map(invitationOf);
}

/** @returns false when the organisation has no such invitation, or it was used. */
export async function removeInvitation({ queries }: MetadataQueries, organizationId: OrganizationId, id: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Who wants to use an invitation. */
export interface InvitedPerson {
  readonly personId: string;
  /** As the issuer has verified it; null: none is verified. */
  readonly verifiedMail: string | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/** What an invitation has made of a person. */
export interface AcceptedInvitation extends Membership {
  readonly invitationId: string;
  /** What the invitation gives; who may more keeps that. */
  readonly given: PersonPermissions;
}

/**
 * Makes a person a member by an invitation, which is used then. Who is a member by the issuer's groups stays what they say, and nobody may
 * less than before. Durable on return in the core. @returns `unknown`: there is none, it was used, or it has expired. `other_mail`: it is for another address.
 */
export async function acceptInvitation(
  database: MetadataQueries,
  tokenHash: string,
  { personId, verifiedMail, at }: InvitedPerson,
): Promise<AcceptedInvitation | 'unknown' | 'other_mail'> {
  return inWriteTransaction(database, async ({ queries }) => {
    const row = await queries.selectFrom('invitations').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
    if (row === undefined || row.used_at !== null || row.expires_at <= at) return 'unknown';
    const { id, organizationId, permissions, mail, invitedBy } = invitationOf(row);
    // Who administers no more may have been about to make one.
    if (invitedBy !== null && (await membershipIn(queries, organizationId, invitedBy))?.permissions !== 'admin') return 'unknown';
    if (mail !== null && mail.toLowerCase() !== verifiedMail?.toLowerCase()) return 'other_mail';
    await queries.updateTable('invitations').set({ used_at: at, used_by: personId }).where('id', '=', id).execute();
    const known = await membershipIn(queries, organizationId, personId);
    if (known !== undefined && (known.source === 'group' || isAsWide(known.permissions, permissions))) {
      return { ...known, invitationId: id, given: permissions };
    }
    const membership: Membership = { personId, organizationId, permissions, source: 'invitation', createdAt: known?.createdAt ?? at };
    await putMembership(queries, membership);
    return { ...membership, invitationId: id, given: permissions };
  });
}

function isAsWide(one: PersonPermissions, other: PersonPermissions): boolean {
  return personPermissions.indexOf(one) >= personPermissions.indexOf(other);
}

function invitationOf(row: Selectable<InvitationsTable>): Invitation {
  return {
    id: row.id,
    organizationId: row.organization_id as OrganizationId,
    permissions: row.permissions,
    mail: row.mail,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    usedBy: row.used_by,
    invitedBy: row.invited_by,
  };
}
