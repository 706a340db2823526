import type { ServiceHealth } from '../../../src/client/types/dashboard.ts';
import { formatAmount, formatBytes } from '../../lib/format.ts';

/** From these on something is said: of the disk, of the spool, of the calls of today, in days. */
const leastFreeShare = 0.1;
const fullShare = 0.8;
const unpricedShare = 0.05;
const leastCalls = 100;
const staleDays = 90;

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

type Advice = (health: ServiceHealth) => string | false;

/** What works and will not for long, with what to do about it. */
const all: readonly Advice[] = [
  ({ disk }) =>
    disk !== null &&
    disk.free_bytes < disk.size_bytes * leastFreeShare &&
    `The disk has ${formatBytes(disk.free_bytes)} of ${formatBytes(disk.size_bytes)} left. Enlarge it, or set GATELOG_RETENTION_DAYS; with less than ${formatBytes(disk.spare_bytes)} nothing is stored.`,
  ({ disk }) =>
    disk !== null &&
    disk.remote !== null &&
    `The data folder lies on a file system of the type ${disk.remote}. Move it to a local disk or a block device: databases lock and map their files.`,
  ({ spool }) =>
    spool.bytes > spool.max_bytes * fullShare &&
    `The spool is ${percent.format(spool.bytes / spool.max_bytes)} full; when it is full, calls go on unrecorded. Find out why ingest is behind, or raise GATELOG_SPOOL_MAX_BYTES.`,
  ({ clock_jumps: jumps }) =>
    jumps > 0 && 'The clock of the machine jumped ahead. Correct it within an hour: after that retention goes by the new time.',
  ({ prices: { list_age_days: days } }) =>
    days >= staleDays &&
    `The public price list is ${formatAmount(days, 'day')} old. A newer version of Gatelog has a newer one; gatelog prices import takes one at once.`,
  ({ prices: { calls_today: calls, unpriced_today: unpriced } }) =>
    calls >= leastCalls &&
    unpriced > calls * unpricedShare &&
    `${percent.format(unpriced / calls)} of today's requests have no price. gatelog report unpriced names the models, and the lines that price them.`,
];

export function adviceOf(health: ServiceHealth): readonly string[] {
  return all.map((advice) => advice(health)).filter((text) => text !== false);
}
