import { z } from 'zod';
import { constantTimeEquals } from '../../auth/fixed-key.ts';
import { healthSchema } from '../../contract/responses.ts';
import { GatelogError } from '../../model/errors.ts';
import { expositionType } from '../../platform/metrics/exposition.ts';
import { type AnswerOf, jsonAnswer } from '../endpoint/endpoint.ts';
import { addressOf } from '../endpoint/authenticate.ts';
import { sendJson } from '../http/send-json.ts';
import { rawOpenEndpoint } from '../endpoint/open-endpoint.ts';

type Health = AnswerOf<typeof healthSchema>;

const wrongKey = new GatelogError('invalid_key', 'The metrics need the key of GATELOG_METRICS_KEY: send "Authorization: Bearer <key>".');

export const monitoring = [
  rawOpenEndpoint({
    at: 'GET /healthz',
    id: 'getHealth',
    summary: 'Whether the process is alive',
    answers: { 200: jsonAnswer({ answer: healthSchema, answered: 'It is.' }) },
    respond: ({ context }) => sendJson(context, { status: 'ok', failing: [], degraded: [] } satisfies Health),
  }),
  rawOpenEndpoint({
    at: 'GET /readyz',
    id: 'getReadiness',
    summary: 'Whether the store answers and the ingest drains',
    answers: {
      200: jsonAnswer({ answer: healthSchema, answered: 'Both do.' }),
      503: jsonAnswer({ answer: healthSchema, answered: 'Not all parts work; `failing` names those that do not.' }),
    },
    respond: async ({ context, ports }) => {
      const { failing, degraded } = await ports.health();
      const [status, code] = failing.length === 0 ? (['ok', 200] as const) : (['unavailable', 503] as const);
      return sendJson(context, { status, failing, degraded } satisfies Health, code);
    },
  }),
  rawOpenEndpoint({
    at: 'GET /openapi.json',
    id: 'getOpenApiDocument',
    summary: 'This document',
    answers: { 200: jsonAnswer({ answer: z.looseObject({ openapi: z.string() }), answered: 'The document.' }) },
    respond: ({ context, document }) => sendJson(context, document()),
  }),
  /** Invariant: no organisation's key is needed, because without `GATELOG_METRICS_KEY` the metrics contain no recorded data. */
  rawOpenEndpoint({
    at: 'GET /metrics',
    id: 'getMetrics',
    summary: 'Metrics of all processes, for Prometheus',
    text: 'Without a key, unless `GATELOG_METRICS_KEY` is set: then `Authorization: Bearer <that key>`.',
    answers: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } } },
    errors: [401, 429],
    respond: async ({ context, ports }) => {
      const { key, page } = ports.metrics;
      const given = /^Bearer +(\S+)$/i.exec(context.req.header('Authorization')?.trim() ?? '')?.[1] ?? '';
      if (key !== undefined && !constantTimeEquals(given, key)) {
        throw ports.failedKeys.reject(addressOf(context), wrongKey);
      }
      return context.body(await page(), 200, { 'Content-Type': expositionType });
    },
  }),
];
