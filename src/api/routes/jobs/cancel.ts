import { z } from '@hono/zod-openapi';
import { jobAnswerSchema } from '../../../contract/jobs/job.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { foundJob, jobIdOf, jobIdParameter, jobItem } from './item.ts';

export const cancelJob: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/jobs/{id}/cancel',
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    description:
      'The job ends after the requests that it is just changing. What it has changed stays, and can be undone. A job that has ended stays as it is.',
    security: keyRequired,
    request: { params: z.object({ id: jobIdParameter }) },
    responses: { 200: { description: 'The job.', content: jsonContent(jobAnswerSchema) }, ...problems(404) },
  },
  action: 'update',
  handle: async ({ context, principal, ports }) => {
    const id = jobIdOf(context);
    return sendData(context, jobItem(foundJob(await ports.jobs.cancel(principal.organizationId, id), id)));
  },
};
