import { type DiskSpace, remoteFileSystems } from '../platform/disk-space.ts';
import type { MetricFamily, Meter } from '../platform/metrics/meter.ts';

const free: MetricFamily = {
  name: 'gatelog_data_disk_free_bytes',
  kind: 'gauge',
  help: 'Bytes that are free for Gatelog on the file system of the data folder.',
};
const size: MetricFamily = {
  name: 'gatelog_data_disk_size_bytes',
  kind: 'gauge',
  help: 'Bytes of the file system of the data folder.',
};
const spare: MetricFamily = {
  name: 'gatelog_data_disk_spare_bytes',
  kind: 'gauge',
  help: 'Free bytes below which nothing is stored (GATELOG_STORE_SPARE_BYTES).',
};
const remote: MetricFamily = {
  name: 'gatelog_data_disk_remote',
  kind: 'gauge',
  help: '1 where the data folder lies on such a file system: of another machine, or served by a program. Databases need a local disk.',
  labels: { type: remoteFileSystems },
};

export const diskFamilies: readonly MetricFamily[] = [free, size, spare, remote];

/** @param disk undefined: the file system does not tell, and the figures are not shown. */
export function recordDisk(meter: Meter, disk: DiskSpace | undefined): void {
  meter.set(free, [], disk?.freeBytes ?? Number.NaN);
  meter.set(size, [], disk?.sizeBytes ?? Number.NaN);
  meter.set(spare, [], disk?.spareBytes ?? Number.NaN);
  if (disk?.remote !== undefined) meter.set(remote, [disk.remote], 1);
}
