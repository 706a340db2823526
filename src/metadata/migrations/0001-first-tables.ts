import type { Kysely } from 'kysely';
import type { MetadataTables } from '../schema/schema.ts';
import type { Migration } from './migration.ts';

export const firstTables: Migration = {
  name: '0001-first-tables',
  apply: async (queries) => {
    await createOrganizationsAndKeys(queries);
    await createPropertyDeclarations(queries);
    await createRequestTables(queries);
  },
};

async function createOrganizationsAndKeys({ schema }: Kysely<MetadataTables>): Promise<void> {
  await schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('key_hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await schema.createIndex('api_keys_by_organization').on('api_keys').column('organization_id').execute();
}

async function createPropertyDeclarations({ schema }: Kysely<MetadataTables>): Promise<void> {
  await schema
    .createTable('property_declarations')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('lower_name', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hidden', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('declared_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('property_declarations_key', ['organization_id', 'lower_name'])
    .execute();
}

/** No foreign keys here: these two are written while a model call waits, and their organisation was checked with its key. */
async function createRequestTables({ schema }: Kysely<MetadataTables>): Promise<void> {
  await schema
    .createTable('request_id_claims')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('claimed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_id_claims_key', ['organization_id', 'request_id'])
    .execute();
  await schema
    .createTable('pending_property_updates')
    // Dialect: Postgres wants `generatedAlwaysAsIdentity()` where SQLite has autoincrement. SQLite never hands a number out twice either way.
    .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('properties', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('accepted_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('pending_property_updates_by_request').on('pending_property_updates').column('request_id').execute();
}
