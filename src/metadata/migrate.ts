import { sql } from 'kysely';
import type { Observe } from '../model/observation.ts';
import { inWriteTransaction, openMetadata, type MetadataDatabase, type MetadataMode, type MetadataQueries } from './database.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { pendingChanges } from './migrations/0002-pending-changes.ts';
import { rateLimits } from './migrations/0003-rate-limits.ts';
import { providerKeys } from './migrations/0004-provider-keys.ts';
import { redactionRules } from './migrations/0005-redaction-rules.ts';
import { organizationPrices } from './migrations/0006-organization-prices.ts';
import { retentionAndErasures } from './migrations/0008-retention-and-erasures.ts';
import { believedTime } from './migrations/0009-believed-time.ts';
import { claimsByAge } from './migrations/0010-claims-by-age.ts';
import { erasedUsersWithoutNul } from './migrations/0011-erased-users-without-nul.ts';
import { hiddenProperties } from './migrations/0012-hidden-properties.ts';
import { jobs } from './migrations/0013-jobs.ts';
import type { Migration } from './migrations/migration.ts';

/** In the order of application. */
const migrations: readonly Migration[] = [
  firstTables,
  pendingChanges,
  rateLimits,
  providerKeys,
  redactionRules,
  organizationPrices,
  retentionAndErasures,
  believedTime,
  claimsByAge,
  erasedUsersWithoutNul,
  hiddenProperties,
  jobs,
];

export const metadataSteps: readonly string[] = migrations.map(({ name }) => name);

/**
 * Migrates the tables. Concurrent processes are safe: all steps run in one transaction under the write lock, so one process applies them.
 * @param now Unix milliseconds. @throws when a newer version wrote the file; nothing is changed then.
 */
export async function migrateMetadata(database: MetadataQueries, now: () => number, observe?: Observe): Promise<void> {
  // A process that finds the tables current writes nothing, so it starts while another one holds the write lock.
  if (await isUpToDate(database)) return;
  const applied = await inWriteTransaction(database, async ({ queries }) => {
    await queries.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    const missing = missingFrom(await queries.selectFrom('schema_migrations').select('name').execute());
    for (const migration of missing) {
      await migration.apply(queries);
      await queries.insertInto('schema_migrations').values({ name: migration.name, applied_at: now() }).execute();
    }
    return missing;
  });
  if (applied.length > 0) observe?.({ kind: 'database_prepared', database: 'metadata', steps: applied.map(({ name }) => name) });
}

/** Opens and migrates the database. @param now Unix milliseconds. @throws as both steps do; nothing stays open then. */
export async function openMigratedMetadata(
  dataDir: string,
  mode: MetadataMode,
  now: () => number,
  observe?: Observe,
): Promise<MetadataDatabase> {
  const database = openMetadata(dataDir, mode);
  try {
    await migrateMetadata(database, now, observe);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function isUpToDate({ queries }: MetadataQueries): Promise<boolean> {
  // Dialect: Postgres has `to_regclass` for this.
  const { rows } = await sql`select name from sqlite_schema where type = 'table' and name = 'schema_migrations'`.execute(queries);
  return rows.length > 0 && missingFrom(await queries.selectFrom('schema_migrations').select('name').execute()).length === 0;
}

function missingFrom(rows: readonly { readonly name: string }[]): readonly Migration[] {
  const applied = new Set(rows.map((row) => row.name));
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (applied.size + missing.length > migrations.length) {
    throw new Error('The metadata database was written by a newer version of Gatelog; start that version, or another data folder.');
  }
  return missing;
}
