import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ServiceHealth } from '../../../src/client/types/dashboard.ts';
import { gatelog } from '../../lib/client.ts';
import { formatBytes, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts, type FactsProps } from '../../ui/layout/facts.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';

const refetchMs = 10_000;

const healthQuery = queryOptions({
  queryKey: ['health'],
  refetchInterval: refetchMs,
  queryFn: async ({ signal }) => (await gatelog.health.get({ signal })).data,
});

/** Whether all that was answered gets on record, and how far behind it is. */
export function HealthPage(): ReactNode {
  const { data, error } = useQuery(healthQuery);
  if (error !== null) return <PageError error={error} />;
  if (data === undefined) return <Loading what="Asking the service" />;
  return (
    <Page title="Health" about={<Verdict health={data} />}>
      {data.failing.map((part) => (
        <Notice key={part} kind="danger">
          {part} does not work at the moment.
        </Notice>
      ))}
      {data.degraded.map((part) => (
        <Notice key={part} kind="warning">
          {part} works, and is behind or about to fail.
        </Notice>
      ))}
      {sectionsOf(data).map(({ title, about, facts }) => (
        <Section key={title} title={title} about={about}>
          <Facts facts={facts} />
        </Section>
      ))}
    </Page>
  );
}

function Verdict({ health: { status, degraded, measured_at: at } }: { readonly health: ServiceHealth }): ReactNode {
  const kind = status === 'unavailable' ? 'bad' : degraded.length > 0 ? 'warning' : 'good';
  return (
    <>
      <Badge kind={kind}>{status === 'unavailable' ? 'unavailable' : degraded.length > 0 ? 'degraded' : 'all is well'}</Badge> of{' '}
      {formatTime(at, timeZone())}
    </>
  );
}

interface HealthSection {
  readonly title: string;
  readonly about: string;
  readonly facts: FactsProps['facts'];
}

function sectionsOf(health: ServiceHealth): readonly HealthSection[] {
  const { store, prices, disk, deliveries, restarts } = health;
  return [
    ...recordSections(health),
    {
      title: 'Prices',
      about: '',
      facts: [
        ['Public list', `${prices.list} of ${prices.list_published}, ${prices.list_age_days} days old`],
        ['Calls of today', formatCount(prices.calls_today)],
        ['Without a price', formatCount(prices.unpriced_today)],
      ],
    },
    {
      title: 'Store',
      about: '',
      facts: [
        ['Free disk', disk === null ? null : formatBytes(disk.free_bytes)],
        ['Kept free', disk === null ? null : formatBytes(disk.spare_bytes)],
        ['Damaged parts', formatCount(store.damaged_parts)],
        ['Lost parts', formatCount(store.lost_parts)],
        ['Bodies to move', formatCount(store.bodies_to_move)],
        ['Statements that wait', formatCount(store.statements_waiting)],
      ],
    },
    {
      title: 'Webhooks and alerts',
      about: '',
      facts: [
        ['Messages that wait', formatCount(deliveries.pending)],
        ['Overdue', formatDuration(deliveries.overdue_ms)],
        ['Behind the record', formatDuration(deliveries.behind_ms)],
      ],
    },
    {
      title: 'Processes',
      about: 'That ended without having been told to',
      facts: [
        ['Gateway workers', formatCount(restarts?.gateway)],
        ['Core', formatCount(restarts?.core)],
      ],
    },
  ];
}

function recordSections({ spool, ingest, unrecorded_calls: unrecorded, dead_letters: letters }: ServiceHealth): readonly HealthSection[] {
  return [
    {
      title: 'On the way to the store',
      about: 'Every reply is in the spool before a client has it',
      facts: [
        ['Delay of the record', formatDuration(spool.oldest_waiting_ms)],
        ['Waiting', formatCount(spool.exchanges_waiting)],
        ['Open calls', formatCount(spool.exchanges_open)],
        ['Spool', `${formatBytes(spool.bytes)} of ${formatBytes(spool.max_bytes)}`],
        ['Ingest', ingest.draining ? 'stores' : 'does not store'],
        ['Failed batches', formatCount(ingest.failed_batches)],
      ],
    },
    {
      title: 'Not on record',
      about: 'Since the start of the processes',
      facts: [
        ['Calls while the spool was full', formatCount(unrecorded?.spool_full)],
        ['Calls whose write failed', formatCount(unrecorded?.write_failed)],
        ['Dead letters', formatCount(letters.kept)],
        ['Size of dead letters', `${formatBytes(letters.bytes)} of ${formatBytes(letters.max_bytes)}`],
        ['Dead letters removed', formatCount(letters.removed)],
      ],
    },
  ];
}
