import type { OrganizationId } from '../../model/ids.ts';
import type { PersonPermissions } from '../../model/people.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataDatabase, MetadataQueries } from '../database.ts';

/** A person's session of a browser. Times are Unix milliseconds. */
export interface PersonSession {
  readonly id: string;
  readonly personId: string;
  /** The one that the person has chosen. */
  readonly organizationId: OrganizationId;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export type NewPersonSession = Omit<PersonSession, 'seenAt'> & { readonly tokenHash: string; readonly sealed: string | null };

/** What a call by a session needs of it. */
export interface FoundSession {
  readonly id: string;
  readonly personId: string;
  readonly organizationId: OrganizationId;
  readonly permissions: PersonPermissions;
  readonly seenAt: number;
  readonly checkedAt: number;
  readonly expiresAt: number;
}

const shown = ['id', 'person_id', 'organization_id', 'created_at', 'seen_at', 'expires_at', 'address', 'user_agent'] as const;

/** Adds a session and removes those that have expired, and the person's oldest beyond `maxOfPerson`. Durable on return in the core. */
export async function addPersonSession(database: MetadataQueries, session: NewPersonSession, maxOfPerson: number): Promise<void> {
  const { id, tokenHash, personId, organizationId, createdAt, expiresAt, address, userAgent, sealed } = session;
  await inWriteTransaction(database, async ({ queries }) => {
    await queries.deleteFrom('person_sessions').where('expires_at', '<=', createdAt).execute();
    const oldest = queries
      .selectFrom('person_sessions')
      .select('id')
      .where('person_id', '=', personId)
      .orderBy('created_at', 'desc')
      .limit(-1)
      .offset(maxOfPerson - 1);
    await queries.deleteFrom('person_sessions').where('id', 'in', oldest).execute();
    await queries
      .insertInto('person_sessions')
      .values({
        id,
        token_hash: tokenHash,
        person_id: personId,
        organization_id: organizationId,
        created_at: createdAt,
        seen_at: createdAt,
        checked_at: createdAt,
        expires_at: expiresAt,
        address,
        user_agent: userAgent,
        sealed,
      })
      .execute();
  });
}

/** Sessions of an organisation or of a person, the newest first. @param at Unix milliseconds: those that have expired are left out. */
export async function listPersonSessions(
  { queries }: MetadataQueries,
  of: { readonly organizationId: OrganizationId } | { readonly personId: string },
  at: number,
): Promise<readonly PersonSession[]> {
  const open = queries.selectFrom('person_sessions').select(shown).where('expires_at', '>', at).orderBy('created_at', 'desc');
  const rows = await (
    'personId' in of ? open.where('person_id', '=', of.personId) : open.where('organization_id', '=', of.organizationId)
  ).execute();
  return rows.map((row) => ({
    id: row.id,
    personId: row.person_id,
    organizationId: row.organization_id as OrganizationId,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    expiresAt: row.expires_at,
    address: row.address,
    userAgent: row.user_agent,
  }));
}

/** Durable on return in the core. @returns the issuer's tokens of it, encrypted; undefined when there is no such session. */
export async function endPersonSession(
  { queries }: MetadataQueries,
  session: { readonly id: string } | { readonly tokenHash: string },
): Promise<Pick<NewPersonSession, 'id' | 'personId' | 'organizationId' | 'sealed'> | undefined> {
  const deletion = queries.deleteFrom('person_sessions').returning(['id', 'person_id', 'organization_id', 'sealed']);
  const row = await (
    'id' in session ? deletion.where('id', '=', session.id) : deletion.where('token_hash', '=', session.tokenHash)
  ).executeTakeFirst();
  if (row === undefined) return undefined;
  return { id: row.id, personId: row.person_id, organizationId: row.organization_id as OrganizationId, sealed: row.sealed };
}

export interface SessionChange {
  readonly seenAt?: number;
  /** When the issuer told the groups, with its newest tokens. */
  readonly checked?: { readonly at: number; readonly sealed: string | null };
  readonly organizationId?: OrganizationId;
}

export async function changePersonSession(
  { queries }: MetadataQueries,
  id: string,
  { seenAt, checked, organizationId }: SessionChange,
): Promise<void> {
  await queries
    .updateTable('person_sessions')
    .set({
      ...(seenAt === undefined ? {} : { seen_at: seenAt }),
      ...(checked === undefined ? {} : { checked_at: checked.at, sealed: checked.sealed }),
      ...(organizationId === undefined ? {} : { organization_id: organizationId }),
    })
    .where('id', '=', id)
    .execute();
}

/** The issuer's tokens of a session, encrypted. */
export async function sealedOfSession({ queries }: MetadataQueries, id: string): Promise<string | null> {
  const row = await queries.selectFrom('person_sessions').select('sealed').where('id', '=', id).executeTakeFirst();
  return row?.sealed ?? null;
}

/** Prepares the look-up; some microseconds each. It knows expired sessions too, and none whose person is no member any more. */
export function makePersonSessionLookUp(database: MetadataDatabase): (tokenHash: string) => FoundSession | undefined {
  const statement = database.prepare(
    database.queries
      .selectFrom('person_sessions as session')
      .innerJoin('memberships as membership', (join) =>
        join.onRef('membership.person_id', '=', 'session.person_id').onRef('membership.organization_id', '=', 'session.organization_id'),
      )
      .select([
        'session.id',
        'session.person_id',
        'session.organization_id',
        'session.seen_at',
        'session.checked_at',
        'session.expires_at',
        'membership.permissions',
      ])
      .where('session.token_hash', '=', ''),
  );
  return (tokenHash) => {
    const row = statement.first(tokenHash);
    return (
      row && {
        id: row.id,
        personId: row.person_id,
        organizationId: row.organization_id as OrganizationId,
        permissions: row.permissions,
        seenAt: row.seen_at,
        checkedAt: row.checked_at,
        expiresAt: row.expires_at,
      }
    );
  };
}
