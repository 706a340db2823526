import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Filter, Webhook, WebhookBody } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { filterText, searchOfFilter } from '../../lib/filter-text.ts';
import { formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/layout/facts.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { Deliveries } from './deliveries.tsx';
import { eventsText } from './events.ts';
import type { WebhookSearch } from './search.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { webhookDraftOf } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookBadge } from './webhooks-page.tsx';
import { webhookQuery } from './webhooks-query.ts';
import styles from './webhooks.module.css';

const route = getRouteApi('/shell/webhooks/$webhookId');

/** One webhook: what it has sent, and what it is. */
export function WebhookPage(): ReactNode {
  const { webhookId } = route.useParams();
  const { tab = 'deliveries', state, delivery } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: WebhookSearch): void => void navigate({ search: (search) => ({ ...search, ...changed }) });
  const { data: webhook, error } = useQuery(webhookQuery(webhookId));
  const mayChange = useMay('admin');
  if (error !== null) return <PageError error={error} page={{ what: 'Webhook', back: { to: '/webhooks', title: 'All webhooks' } }} />;
  if (webhook === undefined) return <Loading what="Loading the webhook" />;
  return (
    <Page
      title={webhook.name ?? webhook.destination}
      about={<WebhookBadge status={webhook.status} />}
      actions={mayChange && <WebhookActions webhook={webhook} />}
    >
      <Problems webhook={webhook} mayChange={mayChange} />
      <Summary webhook={webhook} />
      <Tabs
        label="Parts of the webhook"
        selected={tab}
        onSelect={(selected) => change({ tab: selected })}
        tabs={[
          {
            id: 'deliveries',
            title: 'Deliveries',
            content: () => <Deliveries {...{ webhook, state, delivery, mayChange }} onChange={change} />,
          },
          { id: 'settings', title: 'Settings', content: () => <Settings {...{ webhook, mayChange }} /> },
        ]}
      />
    </Page>
  );
}

function Summary({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { destination, config, includeData, status } = webhook;
  const isOfRequests = config.events.some((event) => event.startsWith('request.'));
  return (
    <Section title="Destination" about={`Events: ${eventsText(config.events)}`}>
      <p className={styles['destination']}>
        <code>{destination}</code> <CopyButton text={destination} label="Copy the destination" />
      </p>
      <Facts
        facts={[
          ...(isOfRequests
            ? ([
                ['Requests', searchOfFilter(config.filter) === '' ? 'all' : filterText(config.filter)],
                ['Sample rate', `${formatCount(config.sampleRate)}%`],
                ['Bodies', includeData ? 'included' : 'not included'],
              ] as const)
            : []),
          ['Pending', formatCount(status.pending)],
          ['Failed in a row', formatCount(status.failed_in_a_row)],
          ['Last success', status.last_success_at === null ? 'never' : formatTime(status.last_success_at, timeZone())],
        ]}
      />
    </Section>
  );
}

interface ProblemsProps {
  readonly webhook: Webhook;
  readonly mayChange: boolean;
}

/** Why nothing is sent, or what goes wrong. */
function Problems({ webhook, mayChange }: ProblemsProps): ReactNode {
  const { state, disabled_reason: reason, disabled_at: at, failing_since: since, behind_seconds: behind, pruned } = webhook.status;
  return (
    <>
      {state === 'disabled' && (
        <Notice kind={reason === 'by_owner' ? 'warning' : 'danger'}>
          Disabled{sinceText(at)}: {reasons[reason ?? 'by_owner']} {mayChange && <Enable webhook={webhook} />}
        </Notice>
      )}
      {state !== 'disabled' && since !== null && (
        <Notice kind="warning">Attempts have failed{sinceText(since)}; the deliveries say why.</Notice>
      )}
      {behind > 60 && <Notice kind="warning">Deliveries are {formatDuration(behind * 1000)} behind.</Notice>}
      {pruned > 0 && (
        <Notice>
          The log has dropped {formatCount(pruned)} {pruned === 1 ? 'delivery' : 'deliveries'} because of its limits.
        </Notice>
      )}
    </>
  );
}

const reasons = {
  by_owner: 'somebody of your organisation switched it off.',
  gone: 'the destination answered 410, which means that it takes no more events.',
  failing: 'every attempt failed for five days.',
  filter: 'its filter failed for many requests; the deliveries say why.',
} as const;

function Enable({ webhook: { id } }: { readonly webhook: Webhook }): ReactNode {
  const queryClient = useQueryClient();
  const enable = useMutation({
    mutationFn: () =>
      gatelog.webhooks.change(id, ({ name, destination, config, includeData }) => ({
        name,
        destination,
        config: { ...config, filter: config.filter as Filter },
        includeData,
        enabled: true,
      })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  return (
    <>
      <Button onPress={() => enable.mutate()} isDisabled={enable.isPending}>
        Enable
      </Button>
      <ErrorNotice error={enable.error} />
    </>
  );
}

function sinceText(at: string | null): string {
  return at === null ? '' : ` since ${formatTime(at, timeZone())}`;
}

function Settings({ webhook, mayChange }: { readonly webhook: Webhook; readonly mayChange: boolean }): ReactNode {
  const queryClient = useQueryClient();
  const navigate = route.useNavigate();
  const draft = webhookDraftOf(webhook);
  if (draft === undefined) return <Notice>The filter of this webhook cannot be shown as a search. Change it through the API.</Notice>;
  const replace = async (body: WebhookBody): Promise<void> => {
    const { data } = await gatelog.webhooks.replace(webhook.id, body);
    queryClient.setQueryData(webhookQuery(webhook.id).queryKey, data);
    await navigate({ search: {} });
  };
  return (
    <Section title="Settings">
      {!mayChange && <Notice kind="warning">You may not change webhooks: it takes the permission admin.</Notice>}
      <WebhookForm
        key={webhook.changed_at}
        initial={draft}
        submit="Save changes"
        onSubmit={replace}
        onCancel={() => void navigate({ search: {} })}
      />
    </Section>
  );
}
