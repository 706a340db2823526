import { Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { GatelogError } from '../model/errors.ts';
import { crossOrigin } from '../model/vocabulary/cross-origin.ts';
import { LoopTurns } from '../platform/bounds/loop-turns.ts';
import { CallMemory } from './http/response-memory.ts';
import { authenticate, sessionOf } from './endpoint/authenticate.ts';
import { admitBody, type LimitBody, makeBodyLimit } from './http/body-limit.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { aliases, endpoints } from './endpoints.ts';
import { measureCalls } from './latency.ts';
import type { OpenEndpoint } from './endpoint/open-endpoint.ts';
import { openEndpoints } from './open-endpoints.ts';
import { type AddressedPath, methodsAt } from './http/allowed-methods.ts';
import { answerMcp, McpCalls, mcpPath } from './mcp.ts';
import type { ApiPorts } from './endpoint/ports.ts';
import { recordEndpoint } from './http/matched-endpoint.ts';
import { isPagePath, readsAsQuery, unknownPath } from './http/unknown-path.ts';
import { sendProblem } from './http/problem.ts';
import { addSignInPages } from './sign-in-pages.ts';
import { addSite, missingPage } from './site/site.ts';

/** Calls that begin in one turn of the event loop. Each works some hundred microseconds before it waits for something. */
const callsInTurn = 4;

const allEndpoints: readonly AddressedPath[] = [...openEndpoints, ...endpoints];

/** The API as a fetch handler. @param document the OpenAPI document, served at `/openapi.json`. */
export function createApi(ports: ApiPorts, document: () => object): Hono {
  const app = bareApi(ports, [measureCalls(ports.meter, ports.monotonic), ...crossOriginLines(ports.corsOrigins)]);
  app.notFound((context) => {
    const { method, path } = context.req;
    const page = isPagePath(path) ? missingPage(context, ports.site.file) : undefined;
    return page ?? sendProblem(context, unknownPath(method, path), ports.observe);
  });
  addSignInPages(app, ports);
  // TRICKY: refuse a path's other methods before the next path is registered: `/v1/request/{id}` would match `/v1/request/query-
  // clickhouse` too.
  for (const [path, members] of byPath(openEndpoints)) {
    for (const endpoint of members) addOpenEndpoint(app, endpoint, { ports, document });
    refuseOtherMethods(app, path, () => methodsAt(path, allEndpoints));
  }
  addSite(app, ports.site, (context) => sessionOf(context, ports) !== undefined);
  const limitBody = makeBodyLimit(ports.bodyMaxBytes);
  const turns = new LoopTurns(callsInTurn);
  addMcp(app, ports, limitBody);
  for (const [path, members] of byPath(endpoints)) {
    for (const endpoint of members) addEndpoint(app, endpoint, { ports, limitBody, turns, path });
    refuseOtherMethods(app, path, () => methodsAt(path, allEndpoints));
  }
  for (const [path, endpoint] of aliases) {
    addEndpoint(app, endpoint, { ports, limitBody, turns, path });
    refuseOtherMethods(app, path, () => [endpoint.declaration.method.toUpperCase()]);
  }
  return app;
}

/**
 * Maps errors and unknown paths to problem responses; has no endpoints and reads no body.
 * @param first middleware that runs before everything else.
 */
export function bareApi({ observe }: ApiPorts, first: readonly MiddlewareHandler[] = []): Hono {
  const app = new Hono();
  app.onError((error, context) => sendProblem(context, error, observe));
  app.notFound((context) => sendProblem(context, unknownPath(context.req.method, context.req.path), observe));
  app.use(withoutSniffing);
  for (const handler of first) app.use(handler);
  return app;
}

/**
 * Bodies hold texts of strangers: a browser that guessed another type than the stated one might run them as a page, in the dashboard's name. A
 * page of ours has a policy of its own.
 */
const withoutSniffing: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('X-Content-Type-Options', 'nosniff');
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', 'sandbox');
};

/** Not in the OpenAPI document: its calls are those of another protocol. */
function addMcp(app: Hono, ports: ApiPorts, limitBody: LimitBody): void {
  const calls = new McpCalls();
  app.post(mcpPath, (context) => answerMcp(context, { ports, calls, limitBody, fetch: (request, reader) => app.fetch(request, reader) }));
  refuseOtherMethods(app, mcpPath, () => ['POST']);
}

/** Answers preflights and allows calls from these origins; no middleware for an empty list. */
function crossOriginLines(origins: readonly string[]): readonly MiddlewareHandler[] {
  if (origins.length === 0) return [];
  const { methods, exposed, maxAgeSeconds } = crossOrigin;
  const origin = origins.includes('*') ? '*' : [...origins];
  return [cors({ origin, allowMethods: [...methods], exposeHeaders: [exposed], maxAge: maxAgeSeconds })];
}

/**
 * @param methodsOfPath of the path's own endpoints and of later parameterised paths that match it. Asked at the first request that no
 * endpoint takes: those of all paths together would delay every start by tens of milliseconds.
 */
function refuseOtherMethods(app: Hono, path: string, methodsOfPath: () => readonly string[]): void {
  let known: readonly string[] | undefined;
  app.all(routerPath(path), async (context, next) => {
    const { method } = context.req;
    known ??= methodsOfPath();
    const methods = known;
    if (methods.includes(method === 'HEAD' ? 'GET' : method)) return next();
    if (readsAsQuery(method, context.req.path)) throw unknownPath(method, context.req.path);
    context.header('Allow', methods.join(', '));
    throw new GatelogError('method_not_allowed', `${context.req.path} takes ${methods.join(' or ')}.`);
  });
}

function addOpenEndpoint(app: Hono, endpoint: OpenEndpoint, given: { readonly ports: ApiPorts; readonly document: () => object }): void {
  const { method, path } = endpoint.declaration;
  app.on(method.toUpperCase(), routerPath(path), async (context) => {
    recordEndpoint(context, endpoint);
    const memory = new CallMemory(given.ports.answerMemory, context.req.raw.signal);
    return memory.during(context, () => endpoint.handle({ context, memory, ...given }));
  });
}

interface EndpointInput {
  readonly ports: ApiPorts;
  readonly limitBody: LimitBody;
  readonly turns: LoopTurns;
  /** That of its declaration, or another. */
  readonly path: string;
}

function addEndpoint(app: Hono, endpoint: Endpoint, { ports, limitBody: general, turns, path }: EndpointInput): void {
  const { bodyMaxBytes = Infinity } = endpoint;
  const limitBody = bodyMaxBytes < ports.bodyMaxBytes ? makeBodyLimit(bodyMaxBytes, '') : general;
  const maxBytes = Math.min(bodyMaxBytes, ports.bodyMaxBytes);
  app.on(endpoint.declaration.method.toUpperCase(), routerPath(path), async (context) => {
    recordEndpoint(context, endpoint);
    const principal = await authenticate(context, ports, endpoint.action);
    const memory = new CallMemory(ports.answerMemory, context.req.raw.signal).ownedBy(principal.organizationId);
    return memory.during(context, async () => {
      if (endpoint.readsStream !== true) await admitBody(context, { limitBody, maxBytes, memory });
      await turns.next(principal.organizationId);
      return endpoint.handle({ context, principal, ports, memory });
    });
  });
}

/** Endpoints by path, in order of first declaration. */
function byPath<Declared extends AddressedPath>(declared: readonly Declared[]): ReadonlyMap<string, readonly Declared[]> {
  const members = new Map<string, Declared[]>();
  for (const endpoint of declared) {
    const { path } = endpoint.declaration;
    members.set(path, [...(members.get(path) ?? []), endpoint]);
  }
  return members;
}

/** `/v1/request/{id}` becomes `/v1/request/:id`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
