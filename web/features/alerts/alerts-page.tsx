import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Alert } from '../../../src/client/client.ts';
import { formatCount, formatTime } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Empty } from '../../ui/empty.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { type DataColumn, DataTable } from '../../ui/table/data-table.tsx';
import { webhooksQuery } from '../webhooks/webhooks-query.ts';
import { alertsQuery } from './alerts-query.ts';
import { channelText, type NamedWebhook } from './channel-text.ts';
import { isMuted } from './measure-text.ts';
import { StateBadge } from './state-badge.tsx';
import { wholeText } from './whole-text.ts';

/** The rules, those that fire first. */
export function AlertsPage(): ReactNode {
  const { data, error } = useQuery(alertsQuery);
  const { data: webhooks = [] } = useQuery(webhooksQuery);
  const mayMake = useMay('admin');
  const firing = data?.filter(({ status }) => status.firing > 0).length ?? 0;
  return (
    <Page
      title="Alerts"
      about={
        data === undefined ? '' : `${formatCount(firing)} firing of ${formatCount(data.length)} ${data.length === 1 ? 'rule' : 'rules'}`
      }
      actions={mayMake && <LinkButton to="/alerts/new">New alert rule</LinkButton>}
    >
      {error !== null ? (
        <PageError error={error} />
      ) : data === undefined ? (
        <Loading what="Loading rules" />
      ) : data.length === 0 ? (
        <Empty title="No rule yet">
          <p className="muted">
            A rule tells you when spend, errors or latency pass a threshold: of everything, or of each user, tenant or feature.
          </p>
        </Empty>
      ) : (
        <DataTable
          label="Rules"
          columns={columnsOf((alert) => channelsText(alert, webhooks))}
          rows={data.toSorted(byGravity)}
          isList
          keyOf={({ id }) => id}
        />
      )}
    </Page>
  );
}

const gravity = ['firing', 'error', 'no_data', 'pending', 'recovering', 'new', 'ok', 'muted', 'off'];

function byGravity(left: Alert, right: Alert): number {
  return gravity.indexOf(left.status.state) - gravity.indexOf(right.status.state);
}

const columnsOf = (told: (alert: Alert) => string): readonly DataColumn<Alert>[] => [
  {
    id: 'name',
    title: 'Rule',
    isWrapped: true,
    textOf: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to="/alerts/$alertId" params={{ alertId: id }}>
        {name}
      </Link>
    ),
  },
  { id: 'state', title: 'State', textOf: wholeStateText, cell: (alert) => <State alert={alert} /> },
  { id: 'firing', title: 'Firing', isNumber: true, cell: ({ status }) => formatCount(status.firing) },
  { id: 'last', title: 'Last incident', cell: ({ status: { last_incident_at: at } }) => (at === null ? '' : formatTime(at, timeZone())) },
  { id: 'told', title: 'Notifies', isWrapped: true, textOf: told, cell: told },
  { id: 'what', title: 'Condition', isWrapped: true, textOf: wholeText, cell: wholeText },
];

function State({ alert }: { readonly alert: Alert }): ReactNode {
  const { id } = alert;
  const { state, delivery_failing: isFailing } = alert.status;
  return (
    <>
      <StateBadge state={state} /> <span className="muted">{stateText(alert).slice(state.length)}</span>
      {isFailing && (
        <Link to="/alerts/$alertId" params={{ alertId: id }} search={{ tab: 'messages' }}>
          {failingText}
        </Link>
      )}
    </>
  );
}

const failingText = 'delivery fails';

function wholeStateText(alert: Alert): string {
  return alert.status.delivery_failing ? `${stateText(alert)} · ${failingText}` : stateText(alert);
}

/** With what the state alone does not say: until when nobody is told, and which rules Gatelog suggests. */
function stateText(alert: Alert): string {
  const { status, offered, mute_until: until } = alert;
  if (until !== null && isMuted(alert)) return `${status.state} until ${formatTime(until, timeZone())}`;
  return status.state === 'off' && offered ? 'off · suggested' : status.state;
}

function channelsText({ channels, offered }: Alert, webhooks: readonly NamedWebhook[]): string {
  if (channels.length === 0) return offered ? 'no channel yet' : 'nobody';
  return channels.map((channel) => channelText(channel, webhooks)).join('; ');
}
