import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { requestsAndBodies } from './migrations/0001-requests-and-bodies.ts';
import { feedbackNumber } from './migrations/0002-feedback-number.ts';
import { changes } from './migrations/0003-changes.ts';
import { bodyRests } from './migrations/0004-body-rests.ts';
import { sessionTagsAndChanges } from './migrations/0005-session-tags-and-changes.ts';
import { appliedPrices } from './migrations/0006-applied-prices.ts';
import { removals } from './migrations/0007-removals.ts';
import { upkeepOfParts } from './migrations/0008-upkeep-of-parts.ts';
import { fewerMerges } from './migrations/0009-fewer-merges.ts';
import { aliasedNames } from './migrations/0010-aliased-names.ts';
import { displayColumn } from './migrations/0011-display.ts';
import { bodiesBefore } from './migrations/0012-bodies-before.ts';
import { bodiesInGroups } from './migrations/0013-bodies-in-groups.ts';
import { smallerBlocks } from './migrations/0014-smaller-blocks.ts';
import { jobRequests } from './migrations/0015-job-requests.ts';
import { storedOrder } from './migrations/0016-stored-order.ts';
import { traces } from './migrations/0017-traces.ts';
import { credentialHashes } from './migrations/0018-credential-hashes.ts';
import { columnByColumn } from './migrations/0019-column-by-column.ts';
import { factsOfCalls } from './migrations/0020-facts-of-calls.ts';
import { previews } from './migrations/0021-previews.ts';
import { wordsOfNewText } from './migrations/0022-words-of-new-text.ts';
import type { Migration } from './migrations/migration.ts';
import { newStore, schemaMigrations } from './new-store.ts';
import { createTable } from './table-definition.ts';
import { readTopology } from './topology.ts';

/** In order. A released step never changes. */
export const migrations: readonly Migration[] = [
  requestsAndBodies,
  feedbackNumber,
  changes,
  bodyRests,
  sessionTagsAndChanges,
  appliedPrices,
  removals,
  upkeepOfParts,
  fewerMerges,
  aliasedNames,
  displayColumn,
  bodiesBefore,
  bodiesInGroups,
  smallerBlocks,
  jobRequests,
  storedOrder,
  traces,
  credentialHashes,
  columnByColumn,
  factsOfCalls,
  previews,
  wordsOfNewText,
];

export const storeSteps = migrations.length;
/** In place of all steps. */
export const madeAtOnce = 'new store';

/**
 * Brings the schema up to date; repeatable, even after an interrupted step. A new store gets its tables at once.
 * @param onApplied receives the name of each completed step.
 * @param upTo the last step to run; absent: all.
 * @throws GatelogError when the store fails or its schema is newer than this program; `store_unavailable` with a readable message when a
 * step must run without free disk space.
 */
export async function migrateStore(connections: Connections, onApplied: (name: string) => void, upTo = storeSteps): Promise<void> {
  try {
    if (!connections.embedded) {
      await connections.run('insert', (client) => migrateServer(client, connections.cluster, onApplied));
      return;
    }
    await connections.run('insert', async (client) => {
      const command = async (query: string): Promise<void> => {
        await client.command({ query });
      };
      const found = await client.query({ query: 'EXISTS TABLE schema_migrations', format: 'JSONEachRow' });
      if ((await found.json<{ result: number }>())[0]?.result !== 1) {
        assertSpaceForSteps(connections);
        await command(
          `CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3)) ENGINE = MergeTree ORDER BY number`,
        );
      }
      const result = await client.query({ query: 'SELECT max(number) AS latest FROM schema_migrations', format: 'JSONEachRow' });
      const latest = (await result.json<{ latest: number }>())[0]?.latest ?? 0;
      const known = migrations.at(-1)?.number ?? 0;
      assertKnown(latest);
      if (latest === 0 && upTo === known) {
        assertSpaceForSteps(connections);
        await assertNothingStored(client);
        for (const table of newStore) await command(createTable(table, { kind: 'embedded' }));
        await command(`INSERT INTO schema_migrations (number, name) VALUES ${migrations.map(recordOf).join(', ')}`);
        onApplied(madeAtOnce);
        return;
      }
      for (const migration of migrations.filter(({ number }) => number > latest && number <= upTo)) {
        assertSpaceForSteps(connections);
        for (const statement of migration.statements) await command(statement);
        if (migration.onEmpty !== undefined) await runOnEmpty(client, migration.onEmpty);
        await command(`INSERT INTO schema_migrations (number, name) VALUES ${recordOf(migration)}`);
        onApplied(migration.name);
      }
    });
  } catch (error) {
    throw storeFailure(error);
  }
}

/**
 * Servers have no older stores: one has all tables of this version, or none. Every statement may run again, so a start that was interrupted
 * is completed by the next one.
 */
async function migrateServer(client: ClickHouseClient, cluster: string | undefined, onApplied: (name: string) => void): Promise<void> {
  const topology = await readTopology(client, cluster);
  await client.command({ query: createTable(schemaMigrations, topology) });
  const found = await client.query({ query: 'SELECT max(number) AS latest FROM schema_migrations', format: 'JSONEachRow' });
  const latest = (await found.json<{ latest: number }>())[0]?.latest ?? 0;
  assertKnown(latest);
  if (latest > 0) return;
  for (const table of newStore) await client.command({ query: createTable(table, topology) });
  await client.command({ query: `INSERT INTO schema_migrations (number, name) VALUES ${migrations.map(recordOf).join(', ')}` });
  onApplied(madeAtOnce);
}

/** @throws GatelogError for a store that a newer program has changed. */
function assertKnown(latest: number): void {
  const known = migrations.at(-1)?.number ?? 0;
  if (latest <= known) return;
  throw new GatelogError(
    'internal',
    `The store's schema is at step ${latest}, this program knows ${known}. Start the newer version of Gatelog.`,
  );
}

function recordOf({ number, name }: Migration): string {
  return `(${number}, '${name}')`;
}

/** Nothing is stored before the first step is on record, so tables without one are remains of a start that was interrupted. */
async function assertNothingStored(client: ClickHouseClient): Promise<void> {
  const query = 'SELECT name FROM system.tables WHERE database = currentDatabase() AND total_rows > 0 LIMIT 1';
  const found = await client.query({ query, format: 'JSONEachRow' });
  if ((await found.json()).length === 0) return;
  throw new GatelogError(
    'internal',
    'The store has rows, and its table schema_migrations does not say by which version they were written. Restore a backup.',
  );
}

async function runOnEmpty(client: ClickHouseClient, { rows, statements }: NonNullable<Migration['onEmpty']>): Promise<void> {
  const found = await client.query({ query: rows, format: 'JSONEachRow' });
  if ((await found.json()).length > 0) return;
  for (const query of statements) await client.command({ query });
}

/**
 * TRICKY: a step on a full disk makes the description of its table an empty file, and then the store can never be opened again. A start
 * without pending steps writes nothing, so it is allowed.
 */
function assertSpaceForSteps(connections: Connections): void {
  if (connections.hasFreeSpace()) return;
  const freeBytes = connections.measureFreeSpace();
  const measured =
    freeBytes === undefined
      ? ''
      : ` ${mebibytes(freeBytes.freeBytes)} MiB are free, more than ${mebibytes(freeBytes.spareBytes)} MiB are wanted.`;
  throw new GatelogError(
    'store_unavailable',
    `The disk of the store is too full to bring its tables up to date.${measured} Make room and start again; GATELOG_STORE_SPARE_BYTES says how much stays free.`,
  );
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20);
}
