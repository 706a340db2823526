import { retentionAnswerSchema } from '../../../contract/settings/retention.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendRetention } from './send-retention.ts';

export const getRetention: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/retention',
    operationId: 'getRetention',
    summary: 'Get how long records are kept',
    description: "The organisation's own days and the deployment's; the shorter of both holds.",
    security: keyRequired,
    responses: { 200: { description: 'The retention.', content: jsonContent(retentionAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerGet,
};

async function answerGet({ context, principal, ports }: RequestContext): Promise<Response> {
  return sendRetention(context, ports.retention, await ports.retention.read(principal.organizationId));
}
