import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Alert } from '../../../src/client/client.ts';
import type { AlertDelivery, AlertGroupState, AlertHistoryRow, AlertIncident } from '../../../src/client/types/alerts.ts';
import { searchOfFilter } from '../../lib/filter-text.ts';
import { formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { timeZone } from '../../lib/zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeliveryBadge } from '../../ui/delivery-badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { eventTitle } from '../webhooks/events.ts';
import { webhooksQuery } from '../webhooks/webhooks-query.ts';
import { useSessionNames } from './alert-chart.tsx';
import { groupOfRule, type Names } from './group-text.ts';
import { deliveriesQuery, historyQuery, incidentsQuery, statesQuery } from './alerts-query.ts';
import { channelText, type NamedWebhook, webhookText } from './channel-text.ts';
import { measureFormat } from './measure-text.ts';
import { StateBadge } from './state-badge.tsx';

interface PartProps {
  readonly alert: Alert;
}

/** The state of each group, the most severe first. */
export function Groups({ alert }: PartProps): ReactNode {
  const names = useSessionNames(alert);
  const format = formatOf(alert);
  const columns: readonly DataColumn<AlertGroupState>[] = [
    groupColumn(alert, names),
    { id: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { id: 'value', title: 'Value', isNumber: true, cell: ({ value }) => format(value) },
    { id: 'threshold', title: 'Threshold', isNumber: true, cell: () => format(alert.threshold) },
    { id: 'since', title: 'Since', cell: ({ since }) => formatTime(since, timeZone()) },
  ];
  return (
    <Table
      query={useQuery(statesQuery(alert.id))}
      label="Groups"
      columns={columns}
      empty="No group has a state yet"
      keyOf={({ group }) => JSON.stringify(group)}
    />
  );
}

export function Incidents({ alert }: PartProps): ReactNode {
  const names = useSessionNames(alert);
  const format = formatOf(alert);
  const columns: readonly DataColumn<AlertIncident>[] = [
    { id: 'started', title: 'Began', cell: ({ started_at: at }) => formatTime(at, timeZone()) },
    groupColumn(alert, names),
    {
      id: 'state',
      title: 'State',
      cell: ({ ended_at: at }) => <Badge kind={at === null ? 'bad' : 'plain'}>{at === null ? 'firing' : 'resolved'}</Badge>,
    },
    { id: 'lasted', title: 'Lasted', isNumber: true, cell: lastedText },
    { id: 'peak', title: 'Peak', isNumber: true, cell: ({ peak }) => format(peak) },
    { id: 'threshold', title: 'Threshold', isNumber: true, cell: ({ threshold }) => format(threshold) },
    {
      id: 'why',
      title: 'Why',
      cell: ({ reason, late }) => `${reason === 'no_data' ? 'no data' : 'threshold'}${late ? ', found late' : ''}`,
    },
    { id: 'requests', title: 'Requests', cell: ({ requests }) => <RequestsOf requests={requests} /> },
  ];
  return (
    <Table
      query={useQuery(incidentsQuery(alert.id))}
      label="Incidents"
      columns={columns}
      empty="The rule has not fired yet"
      keyOf={({ id }) => id}
    />
  );
}

function lastedText({ started_at: from, ended_at: to }: AlertIncident): string {
  return formatDuration((to === null ? Date.now() : Date.parse(to)) - Date.parse(from));
}

function RequestsOf({ requests }: Pick<AlertIncident, 'requests'>): ReactNode {
  const q = requests === null ? undefined : searchOfFilter(requests.filter);
  if (requests === null || q === undefined) return <span className="muted">the rule has changed since</span>;
  const { startTimeUnixMs: from, endTimeUnixMs: to } = requests.timeFilter;
  return (
    <Link to="/requests" search={{ ...(q === '' ? {} : { q }), from, to: to + 1 }}>
      Show requests
    </Link>
  );
}

export function History({ alert }: PartProps): ReactNode {
  const names = useSessionNames(alert);
  const format = formatOf(alert);
  const columns: readonly DataColumn<AlertHistoryRow>[] = [
    { id: 'at', title: 'Time', cell: ({ at }) => formatTime(at, timeZone()) },
    groupColumn(alert, names),
    { id: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { id: 'value', title: 'Value', isNumber: true, cell: ({ value }) => format(value) },
    { id: 'reason', title: 'Why', isWrapped: true, textOf: reasonText, cell: reasonText },
  ];
  return (
    <Table
      query={useQuery(historyQuery(alert.id))}
      label="History"
      columns={columns}
      empty="Nothing has happened yet"
      keyOf={({ at, group, state }) => `${at} ${state} ${JSON.stringify(group)}`}
    />
  );
}

function reasonText({ reason, late }: AlertHistoryRow): string {
  return [reason ?? '', late ? 'a late request changed the window' : ''].filter((text) => text !== '').join('; ');
}

/** What its channels and webhooks were sent, and how that went. */
export function Messages({ alert }: PartProps): ReactNode {
  const deliveries = useQuery(deliveriesQuery(alert.id));
  const hasUnnamed = deliveries.data?.some(({ webhook_id: id, webhook_name: name }) => id !== null && name === null) === true;
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery, enabled: hasUnnamed });
  const receiverText = (delivery: AlertDelivery): string => receiverOf(delivery, alert, webhooks);
  const columns: readonly DataColumn<AlertDelivery>[] = [
    { id: 'at', title: 'Time', cell: ({ created_at: at }) => formatTime(at, timeZone()) },
    { id: 'type', title: 'Event', cell: ({ type, test: isTest }) => eventTitle(isTest ? 'webhook.test' : type) },
    {
      id: 'channel',
      title: 'Sent to',
      textOf: receiverText,
      cell: (delivery) => <Receiver delivery={delivery} text={receiverText(delivery)} />,
    },
    { id: 'state', title: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
    { id: 'attempts', title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
    { id: 'next', title: 'Next attempt', cell: ({ next_attempt_at: at }) => (at === null ? '' : formatTime(at, timeZone())) },
    { id: 'why', title: 'Last failure', isWrapped: true, textOf: failureText, cell: failureText },
  ];
  return <Table query={deliveries} label="Messages" columns={columns} empty="No message yet" keyOf={({ id }) => id} />;
}

/** A webhook has its attempts on its own page. */
function Receiver({ delivery, text }: { readonly delivery: AlertDelivery; readonly text: string }): ReactNode {
  const { webhook_id: webhookId, id } = delivery;
  if (webhookId === null) return text;
  return (
    <Link to="/webhooks/$webhookId" params={{ webhookId }} search={{ delivery: id }}>
      {text}
    </Link>
  );
}

function receiverOf(
  { channel, channel_id: channelId, webhook_id: webhookId, webhook_name: name }: AlertDelivery,
  { channels }: Alert,
  webhooks: readonly NamedWebhook[],
): string {
  if (name !== null) return `webhook ${name}`;
  if (webhookId !== null) return webhookText(webhookId, webhooks);
  const known = channels.find(({ id }) => id === channelId);
  return known === undefined ? (channel ?? 'a channel that was removed') : channelText(known, webhooks);
}

function failureText({ state, last_status: status, last_reason: reason }: AlertDelivery): string {
  if (state === 'delivered') return '';
  return [status === null ? '' : String(status), reason ?? ''].filter((text) => text !== '').join(': ');
}

function formatOf({ metric, baseline }: Alert): (value: number | null) => string {
  return measureFormat(metric, baseline !== null && baseline !== undefined);
}

function groupColumn<Row extends Pick<AlertGroupState, 'group'>>(alert: Alert, names: Names | undefined): DataColumn<Row> {
  const textOf = ({ group }: Row): string => groupOfRule(group, alert, names);
  return { id: 'group', title: 'Group', textOf, cell: textOf };
}

interface TableProps<Row> {
  readonly query: UseQueryResult<readonly Row[]>;
  readonly label: string;
  readonly columns: readonly DataColumn<Row>[];
  readonly empty: string;
  readonly keyOf: (row: Row) => string;
}

function Table<Row>({ query: { data, error }, label, columns, empty, keyOf }: TableProps<Row>): ReactNode {
  if (error !== null) return <PageError error={error} />;
  if (data === undefined) return <Loading />;
  if (data.length === 0) return <Empty title={empty} />;
  return <DataTable label={label} columns={columns} rows={data} keyOf={keyOf} />;
}
