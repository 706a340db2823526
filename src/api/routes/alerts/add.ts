import { alertAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { type NewAlert, newAlertSchema, ruleOf } from '../../../contract/events/alerts.ts';
import { unwrap } from '../../../contract/fault.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';

export const addAlert: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/alerts',
    operationId: 'addAlert',
    summary: 'Store a rule that alerts',
    description:
      'Takes a key with the permission `admin`. The rule is evaluated every ten seconds from then on; `POST /v1/alerts/preview` shows before what it would have done.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(newAlertSchema) } },
    responses: { 200: { description: 'Stored.', content: jsonContent(alertAnswerSchema) }, ...problems(400, 413, 415, 422) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    const given: NewAlert = await readInput(context, newAlertSchema);
    return sendData(context, unwrap(await ports.alerts.add(principal.organizationId, ruleOf(given))));
  },
};
