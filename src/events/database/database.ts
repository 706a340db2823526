import path from 'node:path';
import type { Observe } from '../../model/observation.ts';
import { openSqlite, type SqliteDatabase, type SqliteQueries } from '../../platform/sqlite/database.ts';
import { migrateSqlite } from '../../platform/sqlite/migrate.ts';
import { deliveries } from '../schema/0001-deliveries.ts';
import { deliveriesByRequestTime } from '../schema/0002-deliveries-by-request-time.ts';
import { alerts } from '../schema/0004-alerts.ts';
import { messagesOfRules } from '../schema/0005-messages-of-rules.ts';
import { updatedRequests } from '../schema/0003-updated-requests.ts';
import type { Migration } from '../schema/migration.ts';
import type { EventsTables } from '../schema/schema.ts';

export type EventsQueries = SqliteQueries<EventsTables>;
export type EventsDatabase = SqliteDatabase<EventsTables>;

export const eventsFileName = 'events.db';

/** In the order of application. */
const migrations: readonly Migration[] = [deliveries, deliveriesByRequestTime, updatedRequests, alerts, messagesOfRules];

export const eventsSteps: readonly string[] = migrations.map(({ name }) => name);

/**
 * Opens and migrates `<dataDir>/events.db`, which the core alone writes. It is not the metadata database: gateways write that one beside
 * calls, and a log of a gigabyte must not take its write lock. @param now Unix milliseconds. @throws with a sentence for people; nothing
 * stays open then.
 */
export async function openEvents(dataDir: string, now: () => number, observe?: Observe): Promise<EventsDatabase> {
  const name = 'database of events';
  const database = openSqlite<EventsTables>({ path: path.join(dataDir, eventsFileName), name, unavailable: 'events_unavailable' }, 'core');
  try {
    const steps = await migrateSqlite(database, { name, migrations }, now);
    if (steps.length > 0) observe?.({ kind: 'database_prepared', database: 'events', isNew: steps.length === migrations.length, steps });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
