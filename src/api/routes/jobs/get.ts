import { z } from '@hono/zod-openapi';
import { jobAnswerSchema } from '../../../contract/jobs/job.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { foundJob, jobIdOf, jobIdParameter, jobItem } from './item.ts';

export const getJob: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/jobs/{id}',
    operationId: 'getJob',
    summary: 'Read the progress of a job',
    description: 'Jobs are kept for 30 days after their end.',
    security: keyRequired,
    request: { params: z.object({ id: jobIdParameter }) },
    responses: { 200: { description: 'The job.', content: jsonContent(jobAnswerSchema) }, ...problems(404) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const id = jobIdOf(context);
    return sendData(context, jobItem(foundJob(await ports.jobs.find(principal.organizationId, id), id)));
  },
};
