import type { MetadataQueries } from './database.ts';

/** The table has one row. */
const onlyRow = 1;

/** The store that has the records of this data folder. */
export interface RecordStore {
  /** Its identity: see `src/store/copy/identity.ts`. */
  readonly storeId: string;
  /** For people: `embedded`, or the hosts of the servers. */
  readonly location: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** The number of the move by which they came there; undefined: they were never moved. */
  readonly move?: number | undefined;
  /** Identity of the store that was about to get them. */
  readonly movingTo?: string | undefined;
}

/** @returns undefined before the first start that noted it. */
export async function readRecordStore({ queries }: MetadataQueries): Promise<RecordStore | undefined> {
  const row = await queries.selectFrom('record_store').selectAll().executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    storeId: row.store_id,
    location: row.location,
    since: row.since,
    move: row.move === 0 ? undefined : row.move,
    movingTo: row.moving_to ?? undefined,
  };
}

/** Durable on return. */
export async function saveRecordStore({ queries }: MetadataQueries, saved: RecordStore): Promise<void> {
  const { storeId, location, since, move, movingTo } = saved;
  const row = { store_id: storeId, location, since, move: move ?? 0, moving_to: movingTo ?? null };
  await queries
    .insertInto('record_store')
    .values({ number: onlyRow, ...row })
    .onConflict((conflict) => conflict.column('number').doUpdateSet(row))
    .execute();
}
