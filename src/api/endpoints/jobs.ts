import { jobAnswerSchema, jobsAnswerSchema, jobsPageSchema } from '../../contract/jobs/job.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Job, JobId } from '../../model/jobs/job.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';
import { jobItem } from '../page/job-item.ts';

const id = uuidParameter(
  'Identifier of the job, its `job_id`.',
  () => new GatelogError('not_found', 'No such job: an identifier is a UUID, the `job_id` of an answer.'),
);

export const jobs = [
  endpoint({
    at: 'GET /v1/jobs',
    id: 'listJobs',
    summary: 'List the jobs of the organisation',
    text: 'Newest first. Jobs are kept for 30 days after their end.',
    action: 'read',
    query: jobsPageSchema,
    answer: jobsAnswerSchema,
    answered: 'The page.',
    errors: [422],
    run: async ({ tenant, ports, query }) => (await ports.jobs.list(tenant, query)).map(jobItem),
  }),
  endpoint({
    at: 'GET /v1/jobs/{id}',
    id: 'getJob',
    summary: 'Read the progress of a job',
    text: 'Jobs are kept for 30 days after their end.',
    action: 'read',
    params: { id },
    answer: jobAnswerSchema,
    answered: 'The job.',
    errors: [404],
    run: async ({ tenant, ports, params }) => jobItem(foundJob(await ports.jobs.find(tenant, params.id), params.id)),
  }),
  endpoint({
    at: 'POST /v1/jobs/{id}/cancel',
    id: 'cancelJob',
    summary: 'Cancel a job',
    text: 'The job ends after the requests that it is just changing. What it has changed stays, and can be undone. A job that has ended stays as it is.',
    action: 'update',
    params: { id },
    answer: jobAnswerSchema,
    answered: 'The job.',
    errors: [404],
    run: async ({ tenant, ports, params }) => jobItem(foundJob(await ports.jobs.cancel(tenant, params.id), params.id)),
  }),
  endpoint({
    at: 'POST /v1/jobs/{id}/undo',
    id: 'undoJob',
    summary: 'Undo a job that has ended',
    text: 'Orders a job that restores what this one changed, from the history. Properties that were changed since are left alone; `changed_since` counts their requests. A change and its undo count as none, so several jobs can be undone from the last one back. Called again, it returns the same undo. An undo can be undone too.',
    action: 'update',
    params: { id },
    answer: jobAnswerSchema,
    answered: 'The job that undoes.',
    errors: [404, 422],
    run: async ({ principal, ports, params }) => jobItem(foundJob(await ports.jobs.undo(principal, params.id), params.id)),
  }),
];

/** @throws GatelogError `not_found` without a job. */
function foundJob(job: Job | undefined, jobId: JobId): Job {
  if (job === undefined) throw new GatelogError('not_found', `There is no job ${jobId}. Jobs are kept for 30 days after their end.`);
  return job;
}
