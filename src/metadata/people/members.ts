import type { Kysely } from 'kysely';
import type { OrganizationId } from '../../model/ids.ts';
import type { MembershipSource, PersonPermissions } from '../../model/people.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataQueries } from '../database.ts';
import type { MetadataTables } from '../schema/schema.ts';
import { hasOtherAdministrator } from './administrators.ts';

/** What a person is in an organisation. Times are Unix milliseconds. */
export interface Membership {
  readonly personId: string;
  readonly organizationId: OrganizationId;
  readonly permissions: PersonPermissions;
  readonly source: MembershipSource;
  readonly createdAt: number;
}

/** A member as its organisation sees it. */
export interface Member extends Membership {
  readonly name: string | null;
  readonly mail: string | null;
  readonly signedInAt: number;
}

export interface MemberOrder {
  readonly organizationId: OrganizationId;
  readonly personId: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** `last_admin`: nobody else administers the organisation. `by_groups`: the issuer's groups decide. Nothing is changed then. */
export type MemberRefusal = 'last_admin' | 'by_groups';

/** What groups have made of a person in an organisation; undefined: no member. */
export interface GroupChange {
  readonly organizationId: OrganizationId;
  readonly before: PersonPermissions | undefined;
  readonly permissions: PersonPermissions | undefined;
}

/** The members of an organisation, the oldest first. */
export async function listMembers({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<readonly Member[]> {
  const rows = await queries
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .selectAll('memberships')
    .select(['people.name', 'people.mail', 'people.signed_in_at'])
    .where('memberships.organization_id', '=', organizationId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.person_id')
    .execute();
  return rows.map(({ name, mail, signed_in_at: signedInAt, ...row }) => ({ ...membershipOf(row), name, mail, signedInAt }));
}

/** The organisations of a person, by name. */
export async function listMemberships(
  { queries }: MetadataQueries,
  personId: string,
): Promise<readonly (Membership & { readonly organizationName: string })[]> {
  const rows = await queries
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .selectAll('memberships')
    .select('organizations.name')
    .where('person_id', '=', personId)
    .orderBy('organizations.name')
    .execute();
  return rows.map(({ name, ...row }) => ({ ...membershipOf(row), organizationName: name }));
}

/** Gives a member other permissions. Durable on return in the core. @returns undefined for nobody of the organisation. */
export async function changeMember(
  database: MetadataQueries,
  { organizationId, personId }: MemberOrder,
  permissions: PersonPermissions,
): Promise<Membership | MemberRefusal | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const found = await membershipIn(queries, organizationId, personId);
    if (found === undefined) return undefined;
    if (found.source === 'group') return 'by_groups';
    if (found.permissions === 'admin' && permissions !== 'admin' && !(await hasOtherAdministrator({ queries }, organizationId, personId))) {
      return 'last_admin';
    }
    const changed: Membership = { ...found, permissions, source: 'admin' };
    await putMembership(queries, changed);
    if (permissions !== 'admin') await takeInvitationsBack(queries, changed);
    return changed;
  });
}

/**
 * Removes a member with the sessions, keys and open invitations that the person has in the organisation. Durable on return in the core.
 * @returns false for nobody of the organisation.
 */
export async function removeMember(
  database: MetadataQueries,
  { organizationId, personId, at }: MemberOrder,
): Promise<boolean | Exclude<MemberRefusal, 'by_groups'>> {
  return inWriteTransaction(database, async ({ queries }) => {
    const found = await membershipIn(queries, organizationId, personId);
    if (found === undefined) return false;
    if (found.permissions === 'admin' && !(await hasOtherAdministrator({ queries }, organizationId, personId))) return 'last_admin';
    await endMembership(queries, found, at);
    return true;
  });
}

/**
 * Makes a person a member of what the issuer's groups say, and of nothing more that groups once said. Other memberships stay. Durable on
 * return in the core. @param roles what the groups say, by organisation. @returns what has changed.
 */
export async function applyGroups(
  database: MetadataQueries,
  { personId, at }: Omit<MemberOrder, 'organizationId'>,
  roles: ReadonlyMap<OrganizationId, PersonPermissions>,
): Promise<readonly GroupChange[]> {
  return inWriteTransaction(database, async ({ queries }) => {
    const rows = await queries.selectFrom('memberships').selectAll().where('person_id', '=', personId).execute();
    const known = rows.map(membershipOf);
    const ended = known.filter(({ source, organizationId }) => source === 'group' && !roles.has(organizationId));
    for (const membership of ended) await endMembership(queries, membership, at);
    const isSame = (organizationId: OrganizationId, permissions: PersonPermissions): boolean =>
      known.some((one) => one.organizationId === organizationId && one.permissions === permissions && one.source === 'group');
    const given = [...roles].filter(([organizationId, permissions]) => !isSame(organizationId, permissions));
    for (const [organizationId, permissions] of given) {
      const createdAt = known.find((one) => one.organizationId === organizationId)?.createdAt ?? at;
      const membership: Membership = { personId, organizationId, permissions, source: 'group', createdAt };
      await putMembership(queries, membership);
      if (permissions !== 'admin') await takeInvitationsBack(queries, membership);
    }
    const before = (id: OrganizationId): PersonPermissions | undefined =>
      known.find(({ organizationId }) => organizationId === id)?.permissions;
    return [
      ...ended.map(({ organizationId, permissions }) => ({ organizationId, before: permissions, permissions: undefined })),
      ...given.map(([organizationId, permissions]) => ({ organizationId, before: before(organizationId), permissions })),
    ];
  });
}

export async function membershipIn(
  queries: Kysely<MetadataTables>,
  organizationId: OrganizationId,
  personId: string,
): Promise<Membership | undefined> {
  const row = await queries
    .selectFrom('memberships')
    .selectAll()
    .where('person_id', '=', personId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row === undefined ? undefined : membershipOf(row);
}

/** Adds a membership, or replaces the one that there is. */
export async function putMembership(queries: Kysely<MetadataTables>, membership: Membership): Promise<void> {
  const { personId, organizationId, permissions, source, createdAt } = membership;
  await queries
    .insertInto('memberships')
    .values({ person_id: personId, organization_id: organizationId, permissions, source, created_at: createdAt })
    .onConflict((conflict) => conflict.columns(['person_id', 'organization_id']).doUpdateSet({ permissions, source }))
    .execute();
}

/** Who administers no more lets nobody in. */
async function takeInvitationsBack(queries: Kysely<MetadataTables>, { personId, organizationId }: Membership): Promise<void> {
  const open = queries.deleteFrom('invitations').where('organization_id', '=', organizationId).where('used_at', 'is', null);
  await open.where('invited_by', '=', personId).execute();
}

/** Invariant: a membership never goes without the sessions, keys and open invitations that hang on it. */
async function endMembership(queries: Kysely<MetadataTables>, membership: Membership, at: number): Promise<void> {
  const { personId, organizationId } = membership;
  await takeInvitationsBack(queries, membership);
  await queries.deleteFrom('memberships').where('person_id', '=', personId).where('organization_id', '=', organizationId).execute();
  await queries.deleteFrom('person_sessions').where('person_id', '=', personId).where('organization_id', '=', organizationId).execute();
  await queries
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('person_id', '=', personId)
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .execute();
}

interface MembershipRow {
  readonly person_id: string;
  readonly organization_id: string;
  readonly permissions: PersonPermissions;
  readonly source: MembershipSource;
  readonly created_at: number;
}

function membershipOf(row: MembershipRow): Membership {
  return {
    personId: row.person_id,
    organizationId: row.organization_id as OrganizationId,
    permissions: row.permissions,
    source: row.source,
    createdAt: row.created_at,
  };
}
