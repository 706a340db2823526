import type { MetricFamily, Meter } from '../platform/metrics/meter.ts';

const bytes: MetricFamily = {
  name: 'gatelog_spool_bytes',
  kind: 'gauge',
  help: 'Bytes of all files of the spool, those that are stored and not deleted yet counted.',
};
const maxBytes: MetricFamily = {
  name: 'gatelog_spool_max_bytes',
  kind: 'gauge',
  help: 'Bytes at which calls go on unrecorded (GATELOG_SPOOL_MAX_BYTES).',
};

export const spoolFamilies: readonly MetricFamily[] = [bytes, maxBytes];

export function recordSpool(meter: Meter, usedBytes: number, limitBytes: number): void {
  meter.set(bytes, [], usedBytes);
  meter.set(maxBytes, [], limitBytes);
}
