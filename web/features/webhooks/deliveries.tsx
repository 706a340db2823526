import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook } from '../../../src/client/client.ts';
import type { Delivery } from '../../../src/client/types/webhooks.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { DeliveryBadge } from '../../ui/delivery-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { Select } from '../../ui/select.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { eventTitle } from './events.ts';
import { type DeliveryState, deliveryStates, type WebhookSearch } from './search.ts';
import { deliveriesQuery } from './webhooks-query.ts';
import styles from './webhooks.module.css';

const every = 'all';
const stateOptions = [{ value: every, label: 'All states' }, ...deliveryStates.map((value) => ({ value, label: value }))];
const recoverDays = 7;

export interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly state: DeliveryState | undefined;
  readonly delivery: string | undefined;
  readonly mayChange: boolean;
  readonly onChange: (changed: WebhookSearch) => void;
}

/** The log of deliveries, the newest first. */
export function Deliveries({ webhook, state, delivery, mayChange, onChange }: DeliveriesProps): ReactNode {
  const list = useInfiniteQuery(deliveriesQuery(webhook.id, state));
  const rows = list.data?.pages.flatMap(({ data }) => data);
  return (
    <div className={styles['deliveries']}>
      <div className={styles['bar']}>
        <Select
          label="State of the deliveries"
          value={state ?? every}
          options={stateOptions}
          onChange={(value) => onChange({ state: deliveryStates.find((name) => name === value) })}
        />
        {mayChange && <Recover webhook={webhook} />}
      </div>
      {list.error !== null ? (
        <PageError error={list.error} />
      ) : rows === undefined ? (
        <Loading what="Loading deliveries" />
      ) : rows.length === 0 ? (
        <Empty title="Nothing was sent yet">
          <p className="muted">The next event for this webhook appears here.</p>
        </Empty>
      ) : (
        <DataTable label="Deliveries" columns={columnsOf(onChange)} rows={rows} keyOf={({ id }) => id} />
      )}
      {list.hasNextPage && (
        <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetchingNextPage}>
          Show more
        </Button>
      )}
      {delivery !== undefined && (
        <DeliveryDialog
          webhookId={webhook.id}
          deliveryId={delivery}
          mayReplay={mayChange}
          onClose={() => onChange({ delivery: undefined })}
        />
      )}
    </div>
  );
}

function Recover({ webhook: { id } }: { readonly webhook: Webhook }): ReactNode {
  const queryClient = useQueryClient();
  const recover = async (): Promise<void> => {
    await gatelog.webhooks.recover(id, Date.now() - recoverDays * 86_400_000);
    await queryClient.invalidateQueries({ queryKey: ['webhooks', id] });
  };
  return (
    <ConfirmButton
      title="Retry failed"
      kind="normal"
      consequence={`Every failed delivery of the last ${recoverDays} days is sent again, with the same webhook-id.`}
      onConfirm={recover}
    />
  );
}

function columnsOf(onChange: DeliveriesProps['onChange']): readonly DataColumn<Delivery>[] {
  return [
    { id: 'time', title: 'Time', cell: ({ created_at: at }) => formatTime(at, timeZone()) },
    { id: 'state', title: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
    {
      id: 'open',
      title: 'Actions',
      head: <span className="visually-hidden">Actions</span>,
      cell: ({ id, created_at: at }) => (
        <Button onPress={() => onChange({ delivery: id })} aria-label={`Show the attempts of ${formatTime(at, timeZone())}`}>
          Show attempts
        </Button>
      ),
    },
    { id: 'event', title: 'Event', cell: ({ type }) => eventTitle(type) },
    { id: 'attempts', title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
    { id: 'status', title: 'Status', isNumber: true, cell: ({ last_status: status }) => status ?? '–' },
    { id: 'why', title: 'Why', textOf: ({ last_reason: reason }) => reason ?? '', cell: ({ last_reason: reason }) => reason ?? '' },
    { id: 'request', title: 'Request', cell: ({ request_id: id }) => <RequestLink id={id} /> },
  ];
}

function RequestLink({ id }: { readonly id: string | null }): ReactNode {
  if (id === null) return '';
  return (
    <Link to="/requests" search={{ request: id, range: 'all' }}>
      Open request
    </Link>
  );
}
