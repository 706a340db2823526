import { serviceHealthAnswerSchema } from '../../contract/health.ts';
import { endpoint } from '../endpoint/endpoint.ts';

export const health = [
  /** Invariant: the answer has nothing of an organisation, because keys of every organisation read it. */
  endpoint({
    at: 'GET /v1/health',
    id: 'getServiceHealth',
    summary: 'State of the service in figures',
    text: 'What `/readyz` says, and how full and how far behind the parts are, from the figures of `/metrics`. Any key that reads may ask. The figures are of the whole service, of all its organisations together; nothing in them is of one of them. The status is 200 also while parts fail.',
    action: 'read',
    answer: serviceHealthAnswerSchema,
    answered: 'The state.',
    run: async ({ ports }) => {
      const [{ failing, degraded }, figures] = await Promise.all([ports.health(), ports.metrics.figures()]);
      const status = failing.length === 0 ? ('ok' as const) : ('unavailable' as const);
      return { status, failing, degraded, ...figures };
    },
  }),
];
