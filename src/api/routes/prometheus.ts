import { z } from '@hono/zod-openapi';
import { GatelogError } from '../../model/errors.ts';
import { expositionType } from '../../platform/metrics/exposition.ts';
import { constantTimeEquals } from '../../auth/fixed-key.ts';
import { addressOf } from '../http/authenticate.ts';
import { type RecordedCall, type OpenEndpoint, problemResponses } from '../endpoint.ts';

/** Invariant: no organisation's key is needed, because without `GATELOG_METRICS_KEY` the metrics contain no recorded data. */
export const getMetrics: OpenEndpoint = {
  declaration: {
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Metrics of all processes, for Prometheus',
    description: 'Without a key, unless `GATELOG_METRICS_KEY` is set: then `Authorization: Bearer <that key>`.',
    responses: {
      200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } },
      ...problemResponses(401, 405, 429),
    },
  },
  handle: answerMetrics,
};

const wrongKey = new GatelogError('invalid_key', 'The metrics need the key of GATELOG_METRICS_KEY: send "Authorization: Bearer <key>".');

async function answerMetrics({ context, ports }: RecordedCall): Promise<Response> {
  const { key, page } = ports.metrics;
  const given = /^Bearer +(\S+)$/i.exec(context.req.header('Authorization')?.trim() ?? '')?.[1] ?? '';
  if (key !== undefined && !constantTimeEquals(given, key)) {
    throw ports.failedKeys.reject(addressOf(context), wrongKey);
  }
  return context.body(await page(), 200, { 'Content-Type': expositionType });
}
