import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { JobItem } from '../../../contract/jobs/job.ts';
import { doneOf, type Job, type JobId } from '../../../model/jobs/job.ts';
import { GatelogError } from '../../../model/errors.ts';
import { parseUuid } from '../../../model/ids.ts';

export const jobIdParameter = z
  .string()
  .refine((text) => parseUuid(text) !== undefined)
  .openapi({ param: { name: 'id', in: 'path' }, description: 'Identifier of the job, its `job_id`.', format: 'uuid' });

/** @throws GatelogError `not_found` for a text that is no UUID. */
export function jobIdOf(context: Context): JobId {
  const text = context.req.param('id') ?? '';
  const id = parseUuid(text);
  if (id === undefined) throw new GatelogError('not_found', 'No such job: an identifier is a UUID, the `job_id` of an answer.');
  return id;
}

/** @throws GatelogError `not_found` without a job. */
export function foundJob(job: Job | undefined, id: JobId): Job {
  if (job === undefined) throw new GatelogError('not_found', `There is no job ${id}. Jobs are kept for 30 days after their end.`);
  return job;
}

/** A job in the API's shape. */
export function jobItem(job: Job): JobItem {
  const { order, outcomes } = job;
  const properties = order.kind === 'property' ? order.properties : undefined;
  return {
    job_id: job.id,
    kind: order.kind,
    state: job.state,
    filter: order.kind === 'property' ? order.filter : null,
    set: properties === undefined ? null : Object.fromEntries(properties.set),
    remove: properties === undefined ? null : [...properties.remove],
    undoes: order.kind === 'undo' ? order.undoes : null,
    undone_by: job.undoneBy,
    key_id: job.keyId,
    created_at: isoTime(job.createdAt),
    started_at: isoTimeOrNull(job.startedAt),
    ended_at: isoTimeOrNull(job.endedAt),
    total: job.total,
    done: doneOf(outcomes),
    ...outcomes,
    error: job.error,
  };
}

function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
