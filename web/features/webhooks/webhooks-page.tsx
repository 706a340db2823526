import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook } from '../../../src/client/client.ts';
import { formatCount, formatTime } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { eventsText } from './events.ts';
import { webhooksQuery } from './webhooks-query.ts';

/** Where events are sent, and how that goes. */
export function WebhooksPage(): ReactNode {
  const { data, error } = useQuery(webhooksQuery);
  const mayMake = useMay('admin');
  return (
    <Page
      title="Webhooks"
      about={data === undefined ? '' : `${formatCount(data.length)} ${data.length === 1 ? 'destination' : 'destinations'}`}
      actions={mayMake && <LinkButton to="/webhooks/new">New webhook</LinkButton>}
    >
      {error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading webhooks" />
      ) : data.length === 0 ? (
        <Empty title="No webhook yet">
          <p className="muted">A webhook gets an event for each recorded request that matches its filter, and for alerts.</p>
        </Empty>
      ) : (
        <DataTable label="Webhooks" isList columns={columns} rows={data} keyOf={({ id }) => id} />
      )}
      <p className="muted">
        A webhook that is a channel of an alert rule stands with its rule, in <Link to="/alerts">Alerts</Link>.
      </p>
    </Page>
  );
}

const columns: readonly DataColumn<Webhook>[] = [
  {
    id: 'name',
    title: 'Webhook',
    textOf: titleOf,
    cell: (webhook) => (
      <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }}>
        {titleOf(webhook)}
      </Link>
    ),
  },
  { id: 'destination', title: 'Destination', textOf: ({ destination }) => destination, cell: ({ destination }) => destination },
  { id: 'state', title: 'State', cell: ({ status }) => <WebhookBadge status={status} /> },
  { id: 'events', title: 'Events', textOf: eventsOf, cell: eventsOf },
  { id: 'pending', title: 'Pending', isNumber: true, cell: ({ status }) => formatCount(status.pending) },
  { id: 'failed', title: 'Failed in a row', isNumber: true, cell: ({ status }) => formatCount(status.failed_in_a_row) },
  {
    id: 'last',
    title: 'Last success',
    cell: ({ status: { last_success_at: at } }) => (at === null ? 'never' : formatTime(at, timeZone())),
  },
];

function titleOf({ name, destination }: Webhook): string {
  return name ?? destination;
}

function eventsOf({ config }: Webhook): string {
  return eventsText(config.events);
}

const reasons = {
  by_owner: 'disabled',
  gone: 'disabled: answered 410',
  failing: 'disabled: failing',
  filter: 'disabled: filter failed',
} as const;

export function WebhookBadge({
  status: { state, disabled_reason: reason, failed_in_a_row: failures },
}: Pick<Webhook, 'status'>): ReactNode {
  if (state === 'disabled') return <Badge kind={reason === 'by_owner' ? 'plain' : 'bad'}>{reasons[reason ?? 'by_owner']}</Badge>;
  return failures > 0 ? <Badge kind="warning">failing</Badge> : <Badge kind="good">enabled</Badge>;
}
