import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, unknownAlert } from './alert-id.ts';

export const deleteAlert: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/alerts/{id}',
    operationId: 'deleteAlert',
    summary: 'Delete a rule that alerts',
    description: 'Takes a key with the permission `admin`. Its incidents and its history go with it, and nothing more is sent.',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }) },
    responses: { 200: { description: 'Deleted.', content: jsonContent(doneSchema) }, ...problems(404, 413) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    if (!(await ports.alerts.remove(principal.organizationId, alertIdOf(context)))) throw unknownAlert();
    return sendData(context, null);
  },
};
