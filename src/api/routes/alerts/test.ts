import { z } from '@hono/zod-openapi';
import { alertTestAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { unwrap } from '../../../contract/fault.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, found } from './alert-id.ts';

export const testAlert: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/alerts/{id}/test',
    operationId: 'testAlert',
    summary: 'Send a test message to the channels of a rule',
    description: 'Takes a key with the permission `admin`. The message says that it is a test; no state changes. At most one a second.',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }) },
    responses: { 200: { description: 'On its way.', content: jsonContent(alertTestAnswerSchema) }, ...problems(404, 413, 422) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    const channels = unwrap(found(await ports.alerts.test(principal.organizationId, alertIdOf(context))));
    return sendData(context, { channels });
  },
};
