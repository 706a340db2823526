import type { MetricFamily, Meter } from './meter.ts';

const ready: MetricFamily = {
  name: 'gatelog_ready',
  kind: 'gauge',
  help: '1 while the process can do its work, as /readyz of its listener says, else 0; a process that is away has no value.',
};

export const readinessFamilies: readonly MetricFamily[] = [ready];

export function recordReady(meter: Meter, isReady: boolean): void {
  meter.set(ready, [], isReady ? 1 : 0);
}
