import type { Context, MiddlewareHandler } from 'hono';
import { type Family, type Meter, secondsBounds } from '../platform/metrics/meter.ts';
import type { Addressed } from './path-methods.ts';
import { endpoints } from './endpoints.ts';
import { openEndpoints } from './open-endpoints.ts';

/** Stands for calls that reach no endpoint. */
const noEndpoint = 'none';
const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

const requests: Family = {
  name: 'gatelog_api_request_seconds',
  kind: 'histogram',
  help: 'How long the API took for a call, by endpoint and class of status.',
  labels: { endpoint: [noEndpoint, ...new Set([...endpoints, ...openEndpoints].map(endpointName))], status: statusClasses },
  bounds: secondsBounds,
};

/** What the API measures. */
export const apiFamilies: readonly Family[] = [requests];

/** An endpoint as the label says it: `POST /v1/request/query-clickhouse`. */
function endpointName({ declaration: { method, path } }: Addressed): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The endpoint that a call has reached, by its name. */
const reached = new WeakMap<Context, string>();

/** Says which endpoint a call has reached. */
export function noteEndpoint(context: Context, endpoint: Addressed): void {
  reached.set(context, endpointName(endpoint));
}

/** Takes the time of every call. @param monotonic milliseconds. */
export function measureCalls(meter: Meter, monotonic: () => number): MiddlewareHandler {
  return async (context, next) => {
    const startedAt = monotonic();
    await next();
    const status = statusClasses[Math.floor(context.res.status / 100) - 2] ?? '5xx';
    meter.record(requests, [reached.get(context) ?? noEndpoint, status], (monotonic() - startedAt) / 1000);
  };
}
