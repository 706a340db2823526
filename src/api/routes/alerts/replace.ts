import { z } from '@hono/zod-openapi';
import { alertAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { newAlertSchema, ruleOf } from '../../../contract/events/alerts.ts';
import { unwrap } from '../../../contract/fault.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, found } from './alert-id.ts';

export const replaceAlert: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/alerts/{id}',
    operationId: 'replaceAlert',
    summary: 'Replace a rule that alerts',
    description:
      'Takes a key with the permission `admin`, and the whole rule, as `GET` shows it; what is left out is no longer set. A channel with its `id` stays as it is. A rule that measures something else than before ends its incidents and begins anew; any other change keeps them. `mute_until` mutes.',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }), body: { required: true, content: jsonContent(newAlertSchema) } },
    responses: { 200: { description: 'Stored.', content: jsonContent(alertAnswerSchema) }, ...problems(400, 404, 413, 415, 422) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    const id = alertIdOf(context);
    const given = await readInput(context, newAlertSchema);
    return sendData(context, unwrap(found(await ports.alerts.replace(principal.organizationId, id, ruleOf(given)))));
  },
};
