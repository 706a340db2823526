import { jobsAnswerSchema, jobsPageSchema } from '../../../contract/jobs/job.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { jobItem } from './item.ts';

export const listJobs: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/jobs',
    operationId: 'listJobs',
    summary: 'List the jobs of the organisation',
    description: 'Newest first. Jobs are kept for 30 days after their end.',
    security: keyRequired,
    request: { query: jobsPageSchema },
    responses: { 200: { description: 'The page.', content: jsonContent(jobsAnswerSchema) }, ...problems(422) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const page = readQueryParameters(context, jobsPageSchema);
    return sendData(context, (await ports.jobs.list(principal.organizationId, page)).map(jobItem));
  },
};
