import { gatewayFamilies as callFamilies } from '../../gateway/metrics.ts';
import type { Family } from '../../platform/metrics/meter.ts';
import { eventFamilies, supervisionFamilies } from '../../platform/metrics/observed.ts';
import { processFamilies } from '../../platform/metrics/process-sampler.ts';

/**
 * What a gateway worker and the supervisor measure. All processes of a start have one version of this, so that a number is known by its place.
 * TRICKY: what the core measures stands in `core-numbers.ts`, because the API and the store come with it, and their memory.
 */
export const familiesOf = {
  gateway: [...processFamilies, ...eventFamilies, ...callFamilies],
  supervisor: [...processFamilies, ...eventFamilies, ...supervisionFamilies],
} as const satisfies Readonly<Record<string, readonly Family[]>>;
