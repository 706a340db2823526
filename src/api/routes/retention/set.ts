import { retentionAnswerSchema, retentionSchema } from '../../../contract/settings/retention.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendRetention } from './send-retention.ts';
import { readInput } from '../../http/read-input.ts';

export const setRetention: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/retention',
    operationId: 'setRetention',
    summary: 'Set how long records are kept',
    description:
      'Takes a key with the permission `admin`. Records that came longer ago are removed, with all that belongs to them, by the next run, which comes within `GATELOG_RETENTION_INTERVAL` (an hour); a longer time brings nothing back. The deployment may keep records for a shorter time: the shorter of both holds.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(retentionSchema) } },
    responses: {
      200: { description: 'Set.', content: jsonContent(retentionAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerSet,
};

async function answerSet({ context, principal, ports }: RequestContext): Promise<Response> {
  const { days } = await readInput(context, retentionSchema);
  await ports.retention.set(principal.organizationId, days);
  return sendRetention(context, ports.retention, days);
}
