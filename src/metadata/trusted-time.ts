import type { MetadataQueries } from './database.ts';

/** The table has one row. */
const onlyRow = 1;

/**
 * When the clock was last trusted, Unix milliseconds. A database without an entry counts from its youngest organisation; undefined without
 * one.
 */
export async function readTrustedTime({ queries }: MetadataQueries): Promise<number | undefined> {
  const row = await queries.selectFrom('believed_time').select('believed_at').executeTakeFirst();
  if (row !== undefined) return row.believed_at;
  const { latest } = await queries
    .selectFrom('organizations')
    .select(({ fn }) => fn.max<number | null>('created_at').as('latest'))
    .executeTakeFirstOrThrow();
  return latest ?? undefined;
}

/** Stores when the clock was trusted; durable on return in the core. @param at Unix milliseconds. */
export async function storeTrustedTime({ queries }: MetadataQueries, at: number): Promise<void> {
  await queries
    .insertInto('believed_time')
    .values({ number: onlyRow, believed_at: at })
    .onConflict((conflict) => conflict.column('number').doUpdateSet({ believed_at: at }))
    .execute();
}
