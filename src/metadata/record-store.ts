import type { MetadataQueries } from './database.ts';

/** The table has one row. */
const onlyRow = 1;

/** The store that has the records of this data folder. */
export interface RecordStore {
  /** Its identity: see `src/store/copy/identity.ts`. */
  readonly storeId: string;
  /** For people: `embedded`, or the hosts of the servers. */
  readonly place: string;
  /** Unix milliseconds. */
  readonly since: number;
}

/** @returns undefined before the first start that noted it. */
export async function readRecordStore({ queries }: MetadataQueries): Promise<RecordStore | undefined> {
  const row = await queries.selectFrom('record_store').select(['store_id', 'place', 'since']).executeTakeFirst();
  return row === undefined ? undefined : { storeId: row.store_id, place: row.place, since: Number(row.since) };
}

/** Durable on return. */
export async function saveRecordStore({ queries }: MetadataQueries, { storeId, place, since }: RecordStore): Promise<void> {
  const row = { store_id: storeId, place, since };
  await queries
    .insertInto('record_store')
    .values({ number: onlyRow, ...row })
    .onConflict((conflict) => conflict.column('number').doUpdateSet(row))
    .execute();
}
