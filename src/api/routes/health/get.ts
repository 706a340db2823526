import { serviceHealthAnswerSchema } from '../../../contract/health.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

/** Invariant: the answer has nothing of an organisation, because keys of every organisation read it. */
export const getServiceHealth: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/health',
    operationId: 'getServiceHealth',
    summary: 'State of the service in figures',
    description:
      'What `/readyz` says, and how full and how far behind the parts are, from the figures of `/metrics`. Any key that reads may ask. The figures are of the whole service, of all its organisations together; nothing in them is of one of them. The status is 200 also while parts fail.',
    security: keyRequired,
    responses: { 200: { description: 'The state.', content: jsonContent(serviceHealthAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: async ({ context, ports }) => {
    const [{ failing, degraded }, figures] = await Promise.all([ports.health(), ports.metrics.figures()]);
    return sendData(context, { status: failing.length === 0 ? 'ok' : 'unavailable', failing, degraded, ...figures });
  },
};
