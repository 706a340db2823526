import type { ServiceHealth } from '../../../src/client/types/dashboard.ts';
import { formatAmount, formatBytes, formatCount, formatDuration } from '../../lib/format.ts';
import type { FactsProps } from '../../ui/layout/facts.tsx';

interface HealthSection {
  readonly title: string;
  readonly about: string;
  readonly facts: FactsProps['facts'];
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

function shareText(part: number, whole: number): string {
  return whole === 0 ? '' : ` (${percent.format(part / whole)})`;
}

/** The figures of now, by what they are about. */
export function sectionsOf(health: ServiceHealth): readonly HealthSection[] {
  return [...recordSections(health), ...storeSections(health), ...otherSections(health)];
}

function recordSections({ spool, ingest, unrecorded_calls: unrecorded, dead_letters: letters }: ServiceHealth): readonly HealthSection[] {
  return [
    {
      title: 'Ingest',
      about: 'Every response is in the spool before the client has it; ingest brings it into the store',
      facts: [
        ['Ingest', ingest.draining ? 'running' : 'stopped'],
        ['Lag', formatDuration(spool.oldest_waiting_ms)],
        ['Waiting', formatCount(spool.exchanges_waiting)],
        ['In progress', formatCount(Math.max(0, spool.exchanges_open - spool.exchanges_waiting))],
        ['Spool used', `${formatBytes(spool.bytes)} of ${formatBytes(spool.max_bytes)}${shareText(spool.bytes, spool.max_bytes)}`],
        ['Failed batches', formatCount(ingest.failed_batches)],
      ],
    },
    {
      title: 'Data loss',
      about: 'Since the service started; all should be 0',
      facts: [
        ['Unrecorded: spool full', formatCount(unrecorded?.spool_full)],
        ['Unrecorded: write failed', formatCount(unrecorded?.write_failed)],
        ['Dead letters', `${formatCount(letters.kept)}, ${formatBytes(letters.bytes)}`],
        ['Dead letters removed', formatCount(letters.removed)],
      ],
    },
  ];
}

function freeText({ free_bytes: free, size_bytes: size }: NonNullable<ServiceHealth['disk']>): string {
  return `${formatBytes(free)} of ${formatBytes(size)}${shareText(free, size)}`;
}

function storeSections({ store, disk }: ServiceHealth): readonly HealthSection[] {
  return [
    {
      title: 'Store',
      about: '',
      facts: [
        ['Disk free', disk === null ? null : freeText(disk)],
        ['Disk reserve', disk === null ? null : formatBytes(disk.spare_bytes)],
        ['Queued queries', formatCount(store.statements_waiting)],
        ['Damaged parts', formatCount(store.damaged_parts)],
        ['Lost parts', formatCount(store.lost_parts)],
        ['Bodies to migrate', formatCount(store.bodies_to_move)],
      ],
    },
  ];
}

function otherSections({ prices, deliveries, restarts }: ServiceHealth): readonly HealthSection[] {
  return [
    {
      title: 'Webhooks and alerts',
      about: '',
      facts: [
        ['Pending deliveries', formatCount(deliveries.pending)],
        ['Oldest overdue', formatDuration(deliveries.overdue_ms)],
        ['Webhook lag', formatDuration(deliveries.behind_ms)],
      ],
    },
    {
      title: 'Unexpected restarts',
      about: 'Since the service started',
      facts: [
        ['Gateway workers', formatCount(restarts?.gateway)],
        ['Core', formatCount(restarts?.core)],
      ],
    },
    {
      title: 'Prices',
      about: `${prices.list} of ${prices.list_published}, ${formatAmount(prices.list_age_days, 'day')} old. Counted are calls with tokens, seconds of a recording or a cost that were stored since midnight (UTC)`,
      facts: [
        ['Stored today', formatCount(prices.calls_today)],
        ['No price today', `${formatCount(prices.unpriced_today)}${shareText(prices.unpriced_today, prices.calls_today)}`],
      ],
    },
  ];
}
