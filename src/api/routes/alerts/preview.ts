import { alertPreviewAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { previewRangeOf, previewSchema } from '../../../contract/events/alerts.ts';
import { unwrap } from '../../../contract/fault.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';

export const previewAlert: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/alerts/preview',
    operationId: 'previewAlert',
    summary: 'Try a rule on stored requests',
    description:
      'What the rule would have done, by the states that a stored rule goes through: its values, and the incidents. A long range is stepped through more coarsely, and of very many groups those with the most requests are followed; the answer says so. One preview of an organisation runs at a time and three wait; beyond them 429.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(previewSchema) } },
    responses: {
      200: { description: 'Values and incidents.', content: jsonContent(alertPreviewAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const given = await readInput(context, previewSchema);
    const range = unwrap(previewRangeOf(given, ports.alerts.now()));
    return sendData(context, unwrap(await ports.alerts.preview(principal.organizationId, given.rule, range, context.req.raw.signal)));
  },
};
