import type { MiddlewareHandler } from 'hono';
import { type MetricFamily, type Meter, secondsBounds } from '../platform/metrics/meter.ts';
import { endpoints } from './endpoints.ts';
import { openEndpoints } from './open-endpoints.ts';
import { endpointName, endpointOf } from './http/matched-endpoint.ts';

/** For calls that reach no endpoint. */
const noEndpoint = 'none';
const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

const requests: MetricFamily = {
  name: 'gatelog_api_request_seconds',
  kind: 'histogram',
  help: 'How long the API took for a call, by endpoint and class of status.',
  labels: { endpoint: [noEndpoint, ...new Set([...endpoints, ...openEndpoints].map(endpointName))], status: statusClasses },
  bounds: secondsBounds,
};

export const apiFamilies: readonly MetricFamily[] = [requests];

/** @param monotonic milliseconds. */
export function measureCalls(meter: Meter, monotonic: () => number): MiddlewareHandler {
  return async (context, next) => {
    const startedAt = monotonic();
    await next();
    const status = statusClasses[Math.floor(context.res.status / 100) - 2] ?? '5xx';
    meter.record(requests, [endpointOf(context) ?? noEndpoint, status], (monotonic() - startedAt) / 1000);
  };
}
