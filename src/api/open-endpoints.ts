import { z } from '@hono/zod-openapi';
import { healthSchema } from '../contract/responses.ts';
import { jsonContent, type RecordedCall, type OpenEndpoint, problemResponses } from './endpoint.ts';
import { sendJson } from './http/send-json.ts';
import { listModelRegistry } from './routes/models/registry.ts';
import { getMetrics } from './routes/prometheus.ts';
import { getSignedBodies } from './routes/requests/body.ts';
import { getSignedIn } from './routes/session-cookie/get.ts';
import { signIn } from './routes/session-cookie/sign-in.ts';
import { signOut } from './routes/session-cookie/sign-out.ts';

const healthContent = jsonContent(healthSchema);

/** Every endpoint that needs no key. */
export const openEndpoints: readonly OpenEndpoint[] = [
  {
    declaration: {
      method: 'get',
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Whether the process is alive',
      responses: { 200: { description: 'It is.', content: healthContent }, ...problemResponses(405) },
    },
    handle: ({ context }) => sendJson(context, { status: 'ok', failing: [], degraded: [] }),
  },
  {
    declaration: {
      method: 'get',
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Whether the store answers and the ingest drains',
      responses: {
        200: { description: 'Both do.', content: healthContent },
        503: { description: 'Not all parts work; `failing` names those that do not.', content: healthContent },
        ...problemResponses(405),
      },
    },
    handle: answerReady,
  },
  {
    declaration: {
      method: 'get',
      path: '/openapi.json',
      operationId: 'getOpenApiDocument',
      summary: 'This document',
      responses: {
        200: { description: 'The document.', content: jsonContent(z.looseObject({ openapi: z.string() })) },
        ...problemResponses(405),
      },
    },
    handle: ({ context, document }) => sendJson(context, document()),
  },
  getMetrics,
  getSignedBodies,
  listModelRegistry,
  getSignedIn,
  signIn,
  signOut,
];

async function answerReady({ context, ports }: RecordedCall): Promise<Response> {
  const { failing, degraded } = await ports.health();
  return sendJson(context, { status: failing.length === 0 ? 'ok' : 'unavailable', failing, degraded }, failing.length === 0 ? 200 : 503);
}
