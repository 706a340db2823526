import { z } from '@hono/zod-openapi';
import { jobAnswerSchema } from '../../../contract/jobs/job.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { foundJob, jobIdOf, jobIdParameter, jobItem } from './item.ts';

export const undoJob: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/jobs/{id}/undo',
    operationId: 'undoJob',
    summary: 'Undo a job that has ended',
    description:
      'Orders a job that restores what this one changed, from the history. Properties that were changed since are left alone; `changed_since` counts their requests. A change and its undo count as none, so several jobs can be undone from the last one back. Called again, it returns the same undo. An undo can be undone too.',
    security: keyRequired,
    request: { params: z.object({ id: jobIdParameter }) },
    responses: { 200: { description: 'The job that undoes.', content: jsonContent(jobAnswerSchema) }, ...problems(404, 422) },
  },
  action: 'update',
  handle: async ({ context, principal, ports }) => {
    const id = jobIdOf(context);
    return sendData(context, jobItem(foundJob(await ports.jobs.undo(principal, id), id)));
  },
};
