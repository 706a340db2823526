import type { MetadataQueries } from './database.ts';

/** The table has one row. */
const onlyRow = 1;

/**
 * When the clock was believed last, Unix milliseconds. Where nobody has written that down yet, in a database of an earlier version or one that was
 * just made, it is when its youngest organisation was made; undefined without one.
 */
export async function readBelievedTime({ queries }: MetadataQueries): Promise<number | undefined> {
  const row = await queries.selectFrom('believed_time').select('believed_at').executeTakeFirst();
  if (row !== undefined) return row.believed_at;
  const { latest } = await queries
    .selectFrom('organizations')
    .select(({ fn }) => fn.max<number | null>('created_at').as('latest'))
    .executeTakeFirstOrThrow();
  return latest ?? undefined;
}

/** Writes down when the clock was believed; durable on return in the core. @param at Unix milliseconds. */
export async function keepBelievedTime({ queries }: MetadataQueries, at: number): Promise<void> {
  await queries
    .insertInto('believed_time')
    .values({ number: onlyRow, believed_at: at })
    .onConflict((conflict) => conflict.column('number').doUpdateSet({ believed_at: at }))
    .execute();
}
