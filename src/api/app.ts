import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { GatelogError } from '../model/errors.ts';
import { authenticate } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import type { ApiPorts } from './ports.ts';
import { answerProblem } from './problem.ts';

/** The API as a fetch handler. @param document the OpenAPI document, served at `/openapi.json`. */
export function createApi(ports: ApiPorts, document: object): Hono {
  const app = new Hono();
  app.onError((error, context) => answerProblem(context, error, ports.observe));
  app.notFound((context) => answerProblem(context, new GatelogError('not_found', `There is no endpoint ${context.req.method} ${context.req.path}; see /openapi.json.`), ports.observe));
  app.use(bodyLimit({ maxSize: ports.bodyMaxBytes, onError: () => refuseBody(ports.bodyMaxBytes) }));
  app.get('/healthz', (context) => context.json({ status: 'ok', failing: [] }));
  app.get('/readyz', async (context) => {
    const failing = await ports.failingParts();
    return context.json({ status: failing.length === 0 ? 'ok' : 'unavailable', failing }, failing.length === 0 ? 200 : 503);
  });
  app.get('/openapi.json', (context) => context.json(document));
  for (const endpoint of endpoints) addEndpoint(app, endpoint, ports);
  for (const [path, methods] of methodsByPath()) {
    app.all(path, (context) => {
      context.header('Allow', methods.join(', '));
      throw new GatelogError('method_not_allowed', `${context.req.path} takes ${methods.join(' or ')}.`);
    });
  }
  return app;
}

function addEndpoint(app: Hono, endpoint: Endpoint, ports: ApiPorts): void {
  const { method, path } = endpoint.declaration;
  app.on(method.toUpperCase(), routerPath(path), async (context) => {
    const principal = await authenticate(context, ports, endpoint.action);
    return endpoint.handle({ context, principal, ports });
  });
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { declaration } of endpoints) {
    const path = routerPath(declaration.path);
    methods.set(path, [...(methods.get(path) ?? []), declaration.method.toUpperCase()]);
  }
  return methods;
}

/** `/v1/request/{id}` as the router writes it: `/v1/request/:id`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function refuseBody(mostBytes: number): never {
  throw new GatelogError('body_too_large', `The body is over the limit of ${mostBytes} bytes (GATELOG_API_BODY_MAX_BYTES).`);
}
