import type { JobItem } from '../../contract/jobs/job.ts';
import { doneOf, type Job } from '../../model/jobs/job.ts';

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
