import { rateLimitsAnswerSchema } from '../../../contract/settings/rate-limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { shownLimit } from './shown.ts';

export const getRateLimits: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/rate-limits',
    operationId: 'getRateLimits',
    summary: 'Get the limits of the organisation',
    description:
      'They hold for every call through the gateway, beside the one that a call may bring in `Svc-RateLimit-Policy`. Those of alert rules with `enforce` come last, with their `alert_id`.',
    security: keyRequired,
    responses: { 200: { description: 'The limits.', content: jsonContent(rateLimitsAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerGet,
};

async function answerGet({ context, principal, ports }: RequestContext): Promise<Response> {
  const limits = await ports.rateLimits.list(principal.organizationId);
  return sendData(context, limits.map(shownLimit));
}
