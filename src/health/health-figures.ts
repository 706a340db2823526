import type { HealthFigures } from '../contract/health.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import { sumOf } from '../platform/metrics/figures.ts';
import { priceList } from '../pricing/tables/price-list.ts';
import type { ProcessNumbers } from '../platform/metrics/exposition.ts';

const msPerSecond = 1000;
const secondsPerDay = 86_400;

/** Health in figures, from what `/metrics` shows. @param disk undefined: the store is a server. @param now Unix milliseconds. */
export function healthFigures(numbers: readonly ProcessNumbers[], disk: DiskSpace | undefined, now: number): HealthFigures {
  const known = (name: `gatelog_${string}`, ...labels: readonly string[]): number | null => sumOf(numbers, name, labels) ?? null;
  const value = (name: `gatelog_${string}`, ...labels: readonly string[]): number => {
    const sum = known(name, ...labels);
    if (sum === null) throw new Error(`${name} is not measured`);
    return sum;
  };
  const overdue = known('gatelog_deliveries_overdue_seconds');
  return {
    measured_at: new Date(now).toISOString(),
    spool: {
      bytes: value('gatelog_spool_bytes'),
      max_bytes: value('gatelog_spool_max_bytes'),
      exchanges_open: value('gatelog_spool_exchanges_open'),
      exchanges_waiting: value('gatelog_spool_exchanges_waiting'),
      oldest_waiting_ms: value('gatelog_spool_oldest_waiting_seconds') * msPerSecond,
    },
    ingest: { draining: value('gatelog_ingest_draining') === 1, failed_batches: value('gatelog_batch_failures_total') },
    unrecorded_calls: pair(['spool_full', 'write_failed'], (reason) => known('gatelog_gateway_unrecorded_total', reason)),
    dead_letters: {
      kept: value('gatelog_dead_letters_kept'),
      bytes: value('gatelog_dead_letter_bytes'),
      max_bytes: value('gatelog_dead_letter_max_bytes'),
      added: value('gatelog_dead_letters_total'),
      removed: value('gatelog_dead_letters_removed_total'),
    },
    prices: {
      list: `${priceList.package} ${priceList.version}`,
      list_published: priceList.published,
      list_age_days: Math.floor(value('gatelog_price_list_age_seconds') / secondsPerDay),
      calls_today: value('gatelog_calls_today'),
      unpriced_today: value('gatelog_calls_today', 'unknown'),
    },
    store: {
      damaged_parts: value('gatelog_store_damaged_parts', 'in_use'),
      lost_parts: value('gatelog_store_damaged_parts', 'lost'),
      bodies_to_move: value('gatelog_store_bodies_to_move'),
      statements_waiting: value('gatelog_store_statements_waiting'),
    },
    disk: disk === undefined ? null : diskFigures(disk),
    clock_jumps: value('gatelog_events_total', 'removals_put_off'),
    deliveries: {
      pending: known('gatelog_deliveries_pending'),
      overdue_ms: overdue === null ? null : overdue * msPerSecond,
      behind_ms: value('gatelog_webhooks_behind_seconds') * msPerSecond,
    },
    restarts: pair(['gateway', 'core'], (role) => known('gatelog_process_exits_total', role)),
  };
}

function diskFigures({ freeBytes, sizeBytes, spareBytes, remote }: DiskSpace): HealthFigures['disk'] {
  return { free_bytes: freeBytes, size_bytes: sizeBytes, spare_bytes: spareBytes, remote: remote ?? null };
}

/** @returns null unless both are known. */
function pair<Name extends string>(
  [first, second]: readonly [Name, Name],
  valueOf: (name: Name) => number | null,
): Readonly<Record<Name, number>> | null {
  const [one, other] = [valueOf(first), valueOf(second)];
  return one === null || other === null ? null : ({ [first]: one, [second]: other } as Readonly<Record<Name, number>>);
}
