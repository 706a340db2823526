import { redactionRulesAnswerSchema } from '../../../contract/settings/redaction-rules.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf } from './item.ts';

export const getRedactionRules: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/redaction-rules',
    operationId: 'getRedactionRules',
    summary: 'Get the redaction rules of the organisation',
    description: 'What is taken out of records before they are stored.',
    security: keyRequired,
    responses: { 200: { description: 'The rules.', content: jsonContent(redactionRulesAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerGet,
};

async function answerGet({ context, principal, ports }: RequestContext): Promise<Response> {
  const rules = await ports.redactionRules.list(principal.organizationId);
  return sendData(context, rules.map(itemOf));
}
