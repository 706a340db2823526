import path from 'node:path';
import type { Generated } from 'kysely';
import type { Observe } from '../model/observation.ts';
import { openSqlite, type SqliteDatabase, type SqliteQueries } from '../platform/sqlite/database.ts';
import { type Migration, migrateSqlite } from '../platform/sqlite/migrate.ts';

/** Times are Unix milliseconds. */
interface AuditEntriesTable {
  id: Generated<number>;
  organization_id: string;
  at: number;
  person_id: string | null;
  key_id: string | null;
  action: string;
  target: string | null;
  filter: string | null;
  address: string | null;
}

export interface AuditTables {
  readonly schema_migrations: { name: string; applied_at: number };
  readonly audit_entries: AuditEntriesTable;
}

export type AuditQueries = SqliteQueries<AuditTables>;
export type AuditDatabase = SqliteDatabase<AuditTables>;

export const auditFileName = 'audit.db';

const entries: Migration<AuditTables> = {
  name: '0001-entries',
  apply: async ({ schema }) => {
    await schema
      .createTable('audit_entries')
      // Dialect: Postgres wants `generatedAlwaysAsIdentity()` where SQLite has autoincrement.
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('person_id', 'text')
      .addColumn('key_id', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target', 'text')
      .addColumn('filter', 'text')
      .addColumn('address', 'text')
      .execute();
    await schema.createIndex('audit_entries_by_time').on('audit_entries').columns(['organization_id', 'at', 'id']).execute();
  },
};

/** In the order of application. `metadata/steps.ts` names them. */
const migrations: readonly Migration<AuditTables>[] = [entries];

/**
 * Opens and migrates `<dataDir>/audit.db`, which the core alone writes. It is not the metadata database, whose write lock gateways take
 * beside calls. Its writes survive the death of the process; who needs more syncs its log. @param now Unix milliseconds. @throws with a sentence for people; nothing stays open then.
 */
export async function openAuditDatabase(dataDir: string, now: () => number, observe?: Observe): Promise<AuditDatabase> {
  const name = 'database of the audit log';
  const database = openSqlite<AuditTables>({ path: path.join(dataDir, auditFileName), name, unavailable: 'audit_unavailable' }, 'gateway');
  try {
    const steps = await migrateSqlite(database, { name, migrations }, now);
    if (steps.length > 0) observe?.({ kind: 'database_prepared', database: 'audit', isNew: steps.length === migrations.length, steps });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
