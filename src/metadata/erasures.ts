import type { Selectable } from 'kysely';
import type { Erasure, ErasureCounts, ErasureStage } from '../model/erasure.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { MetadataQueries } from './database.ts';
import { emptyLog, inWriteTransaction } from '../platform/sqlite/database.ts';
import type { ErasuresTable, StoredErasureStage } from './schema/schema.ts';
import { withNul, withoutNul } from './nul-text.ts';

const storedStages: Readonly<Record<ErasureStage, StoredErasureStage>> = {
  ordered: 'ordered',
  lettersCounted: 'counted',
  lettersErased: 'awaited',
  listed: 'listed',
  removed: 'removed',
  cacheCounted: 'weighed',
  cacheErased: 'forgotten',
  lettersRecounted: 'recounted',
  done: 'done',
};
const stagesByStored = Object.fromEntries(Object.entries(storedStages).map(([stage, stored]) => [stored, stage])) as Readonly<
  Record<StoredErasureStage, ErasureStage>
>;

/** An exchange that an erasure removes on its way to the store. */
export interface ErasedExchange {
  readonly erasure: number;
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
}

/** SQLite takes 32,766 parameters in a statement. */
const chunkLength = 5000;

export interface ErasureOrder {
  readonly organizationId: OrganizationId;
  readonly userId: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** False returns an existing erasure only. */
  readonly takesNew: boolean;
}

/**
 * Orders the erasure of a user; an erasure that runs or has an unfetched receipt stays. Durable on return in the core. @returns the
 * current erasure; undefined when there is none and none is created.
 */
export async function orderErasure(
  database: MetadataQueries,
  { organizationId, userId, at, takesNew }: ErasureOrder,
): Promise<Erasure | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    if (takesNew) {
      await queries
        .insertInto('erasures')
        .values({ organization_id: organizationId, user_id: withoutNul(userId), erased_at: at, stage: 'ordered' })
        .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doNothing())
        .execute();
    }
    const row = await queries
      .selectFrom('erasures')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', withoutNul(userId))
      .executeTakeFirst();
    return row === undefined ? undefined : erasureOf(row);
  });
}

/** Unfinished erasures, oldest first. */
export async function listUnfinishedErasures({ queries }: MetadataQueries): Promise<readonly Erasure[]> {
  const rows = await queries.selectFrom('erasures').selectAll().where('stage', '!=', 'done').orderBy('number').execute();
  return rows.map(erasureOf);
}

/** Stores the progress of an erasure and its counts. */
export async function advanceErasure(
  { queries }: MetadataQueries,
  number: number,
  { stage, ...counts }: Partial<ErasureCounts> & { readonly stage: ErasureStage },
): Promise<void> {
  await queries
    .updateTable('erasures')
    .set({ stage: storedStages[stage], ...counts })
    .where('number', '=', number)
    .execute();
}

/** Deletes an erasure with the user's name; the name is in no file once {@link emptyLog} has run. */
export async function forgetErasure(database: MetadataQueries, number: number): Promise<void> {
  await inWriteTransaction(database, async ({ queries }) => {
    await queries.deleteFrom('erased_exchanges').where('erasure', '=', number).execute();
    await queries.deleteFrom('erasures').where('number', '=', number).execute();
  });
}

/**
 * Deletes erasures with unfetched receipts, and empties the log of earlier deletions too. @param before Unix milliseconds of their order.
 */
export async function forgetOldErasures(database: MetadataQueries, before: number): Promise<void> {
  const { queries } = database;
  const old = await queries.selectFrom('erasures').select('number').where('stage', '=', 'done').where('erased_at', '<', before).execute();
  for (const { number } of old) await forgetErasure(database, number);
  await emptyLog(database);
}

/** Stores which exchanges an erasure removes; repetitions count once. */
export async function addErasedExchanges({ queries }: MetadataQueries, erased: readonly ErasedExchange[]): Promise<void> {
  const rows = erased.map(({ erasure, organizationId, requestId }) => ({
    erasure,
    organization_id: organizationId,
    request_id: requestId,
  }));
  for (let start = 0; start < rows.length; start += chunkLength) {
    await queries
      .insertInto('erased_exchanges')
      .values(rows.slice(start, start + chunkLength))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Whether a running erasure removed the exchange. */
export async function wasErased(
  { queries }: MetadataQueries,
  { organizationId, requestId }: Pick<ErasedExchange, 'organizationId' | 'requestId'>,
): Promise<boolean> {
  const row = await queries
    .selectFrom('erased_exchanges')
    .select('erasure')
    .where('organization_id', '=', organizationId)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countErasedExchanges({ queries }: MetadataQueries, number: number): Promise<number> {
  const row = await queries
    .selectFrom('erased_exchanges')
    .select(({ fn }) => fn.countAll<number>().as('counted'))
    .where('erasure', '=', number)
    .executeTakeFirstOrThrow();
  return row.counted;
}

function erasureOf(row: Selectable<ErasuresTable>): Erasure {
  const { number, organization_id: organizationId, user_id: userId, erased_at: erasedAt, stage: stored, ...counts } = row;
  const stage = stagesByStored[stored];
  return { number, organizationId: organizationId as OrganizationId, userId: withNul(userId), erasedAt, stage, counts };
}
