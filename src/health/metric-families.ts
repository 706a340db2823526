import { gatewayFamilies as callFamilies } from '../gateway/observation/metrics.ts';
import type { MetricFamily } from '../platform/metrics/meter.ts';
import { eventFamilies, supervisionFamilies } from '../platform/metrics/observed.ts';
import { processFamilies } from '../platform/metrics/process-sampler.ts';
import { readinessFamilies } from '../platform/metrics/readiness.ts';

/**
 * Metrics of gateway workers and the supervisor. All processes of a start share one version, so that an index identifies a metric. TRICKY:
 * the core's metrics stand in `core-metrics.ts`, because they import the API and the store with their memory.
 */
export const familiesOf = {
  gateway: [...processFamilies, ...readinessFamilies, ...eventFamilies, ...callFamilies],
  supervisor: [...processFamilies, ...eventFamilies, ...supervisionFamilies],
} as const satisfies Readonly<Record<string, readonly MetricFamily[]>>;
