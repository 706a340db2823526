import type { Selectable } from 'kysely';
import type { Job, JobId, JobOrder, JobOutcomes, ListedRequest } from '../model/jobs/job.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import type { MetadataQueries } from './database.ts';
import { inWriteTransaction } from '../platform/sqlite/database.ts';
import type { JobsTable } from './schema/schema.ts';

export interface NewJob {
  readonly id: JobId;
  readonly organizationId: OrganizationId;
  readonly keyId: string;
  readonly order: JobOrder;
  /** Unix milliseconds. */
  readonly at: number;
}

const unfinishedStates = ['queued', 'running'] as const;

/** Adds a job. Durable on return in the core. @returns undefined when the organisation already has that many unfinished ones. */
export async function addJob(database: MetadataQueries, job: NewJob, maxUnfinished: number): Promise<Job | undefined> {
  return inWriteTransaction(database, async (transaction) => {
    const { queries } = transaction;
    const waiting = await queries
      .selectFrom('jobs')
      .select('seq')
      .where('organization_id', '=', job.organizationId)
      .where('state', 'in', unfinishedStates)
      .limit(maxUnfinished)
      .execute();
    if (waiting.length >= maxUnfinished) return undefined;
    await queries
      .insertInto('jobs')
      .values({
        id: job.id,
        organization_id: job.organizationId,
        key_id: job.keyId,
        kind: job.order.kind,
        content: JSON.stringify(contentOf(job.order)),
        undoes: job.order.kind === 'undo' ? job.order.undoes : null,
        state: 'queued',
        created_at: job.at,
      })
      .execute();
    return findJob(transaction, job.organizationId, job.id);
  });
}

export async function findJob({ queries }: MetadataQueries, organizationId: OrganizationId, id: JobId): Promise<Job | undefined> {
  const row = await queries
    .selectFrom('jobs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : (await withUndos({ queries }, [row]))[0];
}

/** Jobs of an organisation, newest first. */
export async function listJobs(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly Job[]> {
  const rows = await queries
    .selectFrom('jobs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return withUndos({ queries }, rows);
}

/** Queued and running jobs of all organisations, oldest first. */
export async function listUnfinishedJobs({ queries }: MetadataQueries): Promise<readonly Job[]> {
  const rows = await queries.selectFrom('jobs').selectAll().where('state', 'in', unfinishedStates).orderBy('seq').execute();
  return withUndos({ queries }, rows);
}

/** What can change about a job. */
export type JobProgress = Partial<Pick<Job, 'state' | 'number' | 'startedAt' | 'endedAt' | 'total' | 'outcomes' | 'reached' | 'error'>>;

/** Stores the progress of a job that has not ended. Durable on return in the core. @returns false when it has ended. */
export async function advanceJob({ queries }: MetadataQueries, id: JobId, progress: JobProgress): Promise<boolean> {
  const { state, number, startedAt, endedAt, total, outcomes, reached, error } = progress;
  const values = {
    ...(state === undefined ? {} : { state }),
    ...(number === undefined ? {} : { number }),
    ...(startedAt === undefined ? {} : { started_at: startedAt }),
    ...(endedAt === undefined ? {} : { ended_at: endedAt }),
    ...(total === undefined ? {} : { total }),
    ...outcomes,
    ...(reached === undefined ? {} : { reached_at: reached?.createdAt ?? null, reached_id: reached?.requestId ?? null }),
    ...(error === undefined ? {} : { error }),
  };
  const { numUpdatedRows } = await queries
    .updateTable('jobs')
    .set(values)
    .where('id', '=', id)
    .where('state', 'in', unfinishedStates)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Of each started undo of the organisation, its number and that of the job that it undid. */
export async function listUndos({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<ReadonlyMap<number, number>> {
  const rows = await queries
    .selectFrom('jobs as undo')
    .innerJoin('jobs as undone', 'undone.id', 'undo.undoes')
    .select(['undo.number as number', 'undone.number as undone'])
    .where('undo.organization_id', '=', organizationId)
    .execute();
  return new Map(rows.flatMap(({ number, undone }): [number, number][] => (number === null || undone === null ? [] : [[number, undone]])));
}

/** The greatest number of a job; 0 without any. */
export async function latestJobNumber({ queries }: MetadataQueries): Promise<number> {
  const row = await queries
    .selectFrom('jobs')
    .select(({ fn }) => fn.max<number | null>('number').as('latest'))
    .executeTakeFirstOrThrow();
  return row.latest ?? 0;
}

/**
 * Removes filters that name a user. A filter that merely contains the text goes too; a job whose requests are not listed yet keeps its own.
 */
export async function forgetUserInJobs(database: MetadataQueries, organizationId: OrganizationId, userId: string): Promise<void> {
  const named = JSON.stringify(userId).slice(1, -1);
  await inWriteTransaction(database, async ({ queries }) => {
    const rows = await queries
      .selectFrom('jobs')
      .select(['id', 'content'])
      .where('organization_id', '=', organizationId)
      .where('kind', '=', 'property')
      .where((expression) => expression.or([expression('total', 'is not', null), expression('ended_at', 'is not', null)]))
      .execute();
    for (const { id, content } of rows) {
      const parsed = parseJson(content);
      if (!isJsonObject(parsed) || !JSON.stringify(parsed['filter']).includes(named)) continue;
      await queries
        .updateTable('jobs')
        .set({ content: JSON.stringify({ ...parsed, filter: null }) })
        .where('id', '=', id)
        .execute();
    }
  });
}

/** Deletes jobs that ended long ago. @param before Unix milliseconds of their end. */
export async function forgetOldJobs({ queries }: MetadataQueries, before: number): Promise<void> {
  await queries.deleteFrom('jobs').where('ended_at', '<', before).execute();
}

type JobRow = Selectable<JobsTable>;

async function withUndos({ queries }: MetadataQueries, rows: readonly JobRow[]): Promise<readonly Job[]> {
  if (rows.length === 0) return [];
  const undos = await queries
    .selectFrom('jobs')
    .select(['id', 'undoes'])
    .where(
      'undoes',
      'in',
      rows.map(({ id }) => id),
    )
    .where('state', 'not in', ['failed', 'cancelled'])
    .execute();
  const undoOf = new Map(undos.map(({ id, undoes }) => [undoes, id as JobId]));
  return rows.map((row) => jobOf(row, undoOf.get(row.id) ?? null));
}

function jobOf(row: JobRow, undoneBy: JobId | null): Job {
  return {
    id: row.id as JobId,
    organizationId: row.organization_id as OrganizationId,
    keyId: row.key_id,
    order: orderOf(row),
    state: row.state,
    createdAt: row.created_at,
    number: row.number,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    total: row.total,
    outcomes: outcomesOf(row),
    reached: reachedOf(row),
    error: row.error,
    undoneBy,
  };
}

function outcomesOf({ changed, unchanged, changed_since: since, refused, gone }: JobRow): JobOutcomes {
  return { changed, unchanged, changed_since: since, refused, gone };
}

function reachedOf({ reached_at: createdAt, reached_id: id }: JobRow): ListedRequest | null {
  return createdAt === null || id === null ? null : { createdAt, requestId: id as RequestId };
}

/** TRICKY: properties as pairs, because an object would lose the name `__proto__` and the order of names that are numbers. */
function contentOf(order: JobOrder): object {
  if (order.kind === 'undo') return {};
  return { filter: order.filter, set: [...order.properties.set], remove: order.properties.remove };
}

function orderOf({ id, kind, content, undoes }: JobRow): JobOrder {
  if (kind === 'undo' && undoes !== null) return { kind, undoes: undoes as JobId };
  const parsed = parseJson(content);
  if (kind !== 'property' || !isJsonObject(parsed)) throw new Error(`Job ${id} does not hold what its kind says.`);
  const { filter, set, remove } = parsed as { readonly filter: unknown; readonly set: [string, string][]; readonly remove: string[] };
  return { kind, filter, properties: { set: new Map(set), remove } };
}
