import type { Kysely } from 'kysely';
import type { MetadataTables } from '../schema/schema.ts';
import type { Migration } from './migration.ts';

/** People who sign in with accounts of an issuer, what they are in organisations, and which keys are theirs. */
export const people: Migration = {
  name: '0020-people',
  apply: async (queries) => {
    await createPeople(queries);
    await createInvitations(queries);
    await createSessions(queries);
    await queries.schema.alterTable('api_keys').addColumn('person_id', 'text').execute();
    await queries.schema.createIndex('api_keys_of_person').on('api_keys').column('person_id').execute();
  },
};

async function createPeople({ schema }: Kysely<MetadataTables>): Promise<void> {
  await schema
    .createTable('people')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('mail', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('signed_in_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('people_by_account', ['issuer', 'subject'])
    .execute();
  await schema
    .createTable('memberships')
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id'))
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('memberships_key', ['person_id', 'organization_id'])
    .execute();
  await schema.createIndex('memberships_of_organization').on('memberships').column('organization_id').execute();
}

async function createInvitations({ schema }: Kysely<MetadataTables>): Promise<void> {
  await schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('mail', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('used_by', 'text')
    .execute();
  await schema.createIndex('invitations_of_organization').on('invitations').columns(['organization_id', 'created_at']).execute();
}

async function createSessions({ schema }: Kysely<MetadataTables>): Promise<void> {
  await schema
    .createTable('person_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id'))
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('sealed', 'text')
    .execute();
  await schema.createIndex('person_sessions_of_person').on('person_sessions').columns(['person_id', 'created_at']).execute();
  await schema.createIndex('person_sessions_of_organization').on('person_sessions').column('organization_id').execute();
}
