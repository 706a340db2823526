import type { MetricFamily, Meter } from '../platform/metrics/meter.ts';

const limit: MetricFamily = {
  name: 'gatelog_memory_limit_bytes',
  kind: 'gauge',
  help: 'Memory that the container has, all processes together; absent without a limit.',
};
const most: MetricFamily = {
  name: 'gatelog_memory_settings_bytes',
  kind: 'gauge',
  help: 'Memory of all processes at rest, and what the settings let them take on top; heaps of JavaScript are not in it.',
};

export const memoryFamilies: readonly MetricFamily[] = [limit, most];

/** @param limitBytes undefined: there is none. @param maxBytes by the settings. */
export function recordMemory(meter: Meter, limitBytes: number | undefined, maxBytes: number): void {
  meter.set(limit, [], limitBytes ?? Number.NaN);
  meter.set(most, [], maxBytes);
}
