import type { Observe } from '../model/observation.ts';
import type { SqliteMode } from '../platform/sqlite/database.ts';
import { migrateSqlite } from '../platform/sqlite/migrate.ts';
import { openMetadata, type MetadataDatabase, type MetadataQueries } from './database.ts';
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
import { webhooks } from './migrations/0014-webhooks.ts';
import { alertRules } from './migrations/0015-alert-rules.ts';
import { browserSessions } from './migrations/0016-browser-sessions.ts';
import { enforcedRules } from './migrations/0017-enforced-rules.ts';
import { viewsAndBoards } from './migrations/0018-views-and-boards.ts';
import { operatorPrices } from './migrations/0019-operator-prices.ts';
import { people } from './migrations/0020-people.ts';
import { inviters } from './migrations/0021-inviters.ts';
import { recordStore } from './migrations/0022-record-store.ts';
import type { Migration } from './migrations/migration.ts';

/** In the order of application. `steps.ts` names them. */
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
  webhooks,
  alertRules,
  browserSessions,
  enforcedRules,
  viewsAndBoards,
  operatorPrices,
  people,
  inviters,
  recordStore,
];

/** Migrates the tables; see `migrateSqlite`. @param now Unix milliseconds. */
export async function migrateMetadata(database: MetadataQueries, now: () => number, observe?: Observe): Promise<void> {
  const steps = await migrateSqlite(database, { name: 'metadata database', migrations }, now);
  if (steps.length > 0) observe?.({ kind: 'database_prepared', database: 'metadata', isNew: steps.length === migrations.length, steps });
}

/** Opens and migrates the database. @param now Unix milliseconds. @throws as both steps do; nothing stays open then. */
export async function openMigratedMetadata(
  dataDir: string,
  mode: SqliteMode,
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
