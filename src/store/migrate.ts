import { GatelogError } from '../model/errors.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { requestsAndBodies } from './migrations/0001-requests-and-bodies.ts';
import { feedbackNumber } from './migrations/0002-feedback-number.ts';
import { changes } from './migrations/0003-changes.ts';
import { bodyRests } from './migrations/0004-body-rests.ts';
import { sessionTagsAndChanges } from './migrations/0005-session-tags-and-changes.ts';
import { appliedPrices } from './migrations/0006-applied-prices.ts';
import { removals } from './migrations/0007-removals.ts';
import type { Migration } from './migrations/migration.ts';

/** Every step, in order. A step that has been released never changes. */
export const migrations: readonly Migration[] = [
  requestsAndBodies,
  feedbackNumber,
  changes,
  bodyRests,
  sessionTagsAndChanges,
  appliedPrices,
  removals,
];

/** How many steps this program knows. */
export const storeSteps = migrations.length;

/**
 * Brings the schema up to date; safe to repeat, also after a step was cut in the middle.
 * @param onApplied told the name of each step that was run.
 * @param upTo the last step to run; absent: all.
 * @throws GatelogError when the store fails or its schema is newer than this program.
 */
export async function migrateStore(connections: Connections, onApplied: (name: string) => void, upTo = migrations.length): Promise<void> {
  try {
    await connections.run('insert', async (client) => {
      const command = async (query: string): Promise<void> => {
        await client.command({ query });
      };
      await command(
        `CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3)) ENGINE = MergeTree ORDER BY number`,
      );
      const result = await client.query({ query: 'SELECT max(number) AS latest FROM schema_migrations', format: 'JSONEachRow' });
      const latest = (await result.json<{ latest: number }>())[0]?.latest ?? 0;
      const known = migrations.at(-1)?.number ?? 0;
      if (latest > known) {
        throw new GatelogError(
          'internal',
          `The store's schema is at step ${latest}, this program knows ${known}. Start the newer version of Gatelog.`,
        );
      }
      for (const migration of migrations.filter(({ number }) => number > latest && number <= upTo)) {
        for (const statement of migration.statements) await command(statement);
        await command(`INSERT INTO schema_migrations (number, name) VALUES (${migration.number}, '${migration.name}')`);
        onApplied(migration.name);
      }
    });
  } catch (error) {
    throw storeFailure(error);
  }
}
