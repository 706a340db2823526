import { priceItem, pricesAnswerSchema } from '../../../contract/settings/prices.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

export const getPrices: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/prices',
    operationId: 'getPrices',
    summary: 'Get the prices of the organisation',
    description: 'The prices that the organisation has stored. The price book applies to everything else.',
    security: keyRequired,
    responses: { 200: { description: 'The prices.', content: jsonContent(pricesAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerGet,
};

async function answerGet({ context, principal, ports }: RequestContext): Promise<Response> {
  const prices = await ports.prices.list(principal.organizationId);
  return sendData(context, prices.map(priceItem));
}
