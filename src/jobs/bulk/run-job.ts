import { doneOf, type Job, type JobId, type JobOutcomes, targetValues } from '../../model/jobs/job.ts';
import { whenEndedAreStored } from '../../ingest/changes/ended-exchanges.ts';
import { advanceJob, findJob, listUndos } from '../../metadata/jobs.ts';
import { GatelogError } from '../../model/errors.ts';
import { matchingRequests, planBulk } from '../../query/requests/bulk.ts';
import type { BulkJob } from '../../store/bulk/change.ts';
import type { MatchingRows } from '../../store/bulk/job-lists.ts';
import { requestsChangedBy, type UndoneJob } from '../../store/bulk/list.ts';
import type { BulkJobDependencies } from './dependencies.ts';

export type StartedJob = Job & { readonly number: number; readonly startedAt: number };

export interface StepOptions {
  readonly signal: AbortSignal;
  /** Requests that one job may cover. */
  readonly maxRequests: number;
}

/**
 * Gives a job its number and time.
 * TRICKY: no other change runs at that moment, so each change with a smaller number has been made, and each later one has a greater
 * number. The job is as if made at once here: where a later change came first, that one stays.
 */
export async function startJob({ database, changer }: BulkJobDependencies, job: Job): Promise<StartedJob | undefined> {
  const { acceptedAt: startedAt, number } = await changer.exclusive(job.organizationId, async () => changer.stamp());
  const started = { ...job, state: 'running', number, startedAt } as const;
  return (await advanceJob(database, job.id, { state: 'running', number, startedAt })) ? started : undefined;
}

/**
 * Lists the requests that the job covers. @returns undefined when the job was cancelled meanwhile. @throws GatelogError when the filter
 * costs or matches too much, or the store fails.
 */
export async function listRequests(
  dependencies: BulkJobDependencies,
  job: StartedJob,
  { signal, maxRequests }: StepOptions,
): Promise<StartedJob | undefined> {
  await whenEndedAreStored(dependencies.drain, job.organizationId, signal);
  const total = await dependencies.store.jobLists.list(job, await matching(dependencies, job));
  if (total > maxRequests) {
    throw new GatelogError(
      'query_too_large',
      `The filter matches ${total} requests; one job changes at most ${maxRequests}. Narrow it, by time for example.`,
    );
  }
  return (await advanceJob(dependencies.database, job.id, { total })) ? { ...job, total } : undefined;
}

async function matching(dependencies: BulkJobDependencies, job: StartedJob): Promise<MatchingRows> {
  const { order } = job;
  if (order.kind === 'undo') return requestsChangedBy(await undoneJob(dependencies, job, order.undoes));
  const planned = planBulk(job.organizationId, order.filter);
  if (!planned.ok) throw new GatelogError(planned.fault.code, planned.fault.message);
  return matchingRequests(planned.value, job.startedAt);
}

async function undoneJob({ database }: BulkJobDependencies, { organizationId }: Job, id: JobId): Promise<UndoneJob> {
  const undone = await findJob(database, organizationId, id);
  const { number, startedAt } = undone ?? { number: null, startedAt: null };
  if (number === null || startedAt === null) {
    throw new GatelogError('not_found', `The job ${id} has changed nothing that could be undone.`);
  }
  return { number, startedAt };
}

/** The job as the store needs it. */
export async function storeJob(
  dependencies: BulkJobDependencies,
  { organizationId, number, startedAt, keyId, order, ...job }: StartedJob,
): Promise<BulkJob> {
  const key = { organizationId, number, startedAt, keyId };
  if (order.kind === 'property') return { ...key, change: { targets: targetValues(order.properties) } };
  const undoes = await undoneJob(dependencies, { organizationId, number, startedAt, keyId, order, ...job }, order.undoes);
  return { ...key, change: { undoes, undos: await listUndos(dependencies.database, organizationId) } };
}

/** Changes the next requests. @returns the job after that; undefined when nothing was left or it was cancelled. */
export async function changeChunk(dependencies: BulkJobDependencies, job: StartedJob, stored: BulkJob): Promise<StartedJob | undefined> {
  const current = await findJob(dependencies.database, job.organizationId, job.id);
  if (current?.endedAt !== null) return undefined;
  const { reached, outcomes: added } = await dependencies.changer.exclusive(job.organizationId, () =>
    dependencies.store.changeNext(stored, job.reached),
  );
  if (reached === null) return undefined;
  const outcomes = sumOf(job.outcomes, added);
  const isGoing = await advanceJob(dependencies.database, job.id, { reached, outcomes, error: null });
  return isGoing ? { ...job, reached, outcomes, error: null } : undefined;
}

export function isThrough({ total, outcomes }: Job): boolean {
  return total !== null && doneOf(outcomes) >= total;
}

function sumOf(sum: JobOutcomes, added: JobOutcomes): JobOutcomes {
  return {
    changed: sum.changed + added.changed,
    unchanged: sum.unchanged + added.unchanged,
    changed_since: sum.changed_since + added.changed_since,
    refused: sum.refused + added.refused,
    gone: sum.gone + added.gone,
  };
}
