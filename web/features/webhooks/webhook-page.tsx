import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook, WebhookBody } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { formatDuration, formatTime } from '../../lib/format.ts';
import { useMay } from '../../lib/signed-in.ts';
import { timeZone } from '../../lib/zone.ts';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { Deliveries } from './deliveries.tsx';
import type { WebhookSearch } from './search.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { webhookDraftOf } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookBadge } from './webhooks-page.tsx';
import { webhookQuery } from './webhooks-query.ts';

const route = getRouteApi('/shell/webhooks/$webhookId');

/** One webhook: what it has sent, and what it is. */
export function WebhookPage(): ReactNode {
  const { webhookId } = route.useParams();
  const { tab = 'deliveries', state, delivery } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: WebhookSearch): void => void navigate({ search: (search) => ({ ...search, ...changed }) });
  const { data: webhook, error } = useQuery(webhookQuery(webhookId));
  const mayChange = useMay('admin');
  if (error !== null) return <PageError error={error} />;
  if (webhook === undefined) return <Loading what="Loading the webhook" />;
  return (
    <Page
      title={webhook.name ?? webhook.destination}
      about={<WebhookBadge status={webhook.status} />}
      actions={mayChange && <WebhookActions webhook={webhook} />}
    >
      <Problems webhook={webhook} />
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

function Problems({ webhook: { status } }: { readonly webhook: Webhook }): ReactNode {
  const { disabled_reason: reason, disabled_at: at, failing_since: since, behind_seconds: behind, pruned } = status;
  return (
    <>
      {reason === 'gone' && (
        <Notice kind="danger">The destination answered 410, which means: send no more. It is disabled{sinceText(at)}.</Notice>
      )}
      {reason === 'failing' && <Notice kind="danger">Every attempt failed for five days. The webhook is disabled{sinceText(at)}.</Notice>}
      {reason === 'filter' && (
        <Notice kind="danger">
          The filter could not decide about request after request; the deliveries say why. The webhook is disabled{sinceText(at)}.
        </Notice>
      )}
      {reason === null && since !== null && <Notice kind="warning">Attempts fail{sinceText(since)}.</Notice>}
      {behind > 60 && <Notice kind="warning">Deliveries are {formatDuration(behind * 1000)} behind.</Notice>}
      {pruned > 0 && <Notice>The log has dropped {pruned} deliveries because of its limits.</Notice>}
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
  if (draft === undefined) return <Notice>The filter of this webhook has no form as a search. Change it by the API.</Notice>;
  const replace = async (body: WebhookBody): Promise<void> => {
    const { data } = await gatelog.webhooks.replace(webhook.id, body);
    queryClient.setQueryData(webhookQuery(webhook.id).queryKey, data);
    await navigate({ search: {} });
  };
  return (
    <Section title="Settings">
      {!mayChange && <Notice kind="warning">Your key may not change webhooks; a key with the permission admin may.</Notice>}
      <WebhookForm
        key={webhook.changed_at}
        initial={draft}
        submit="Store the changes"
        onSubmit={replace}
        onCancel={() => void navigate({ search: {} })}
      />
    </Section>
  );
}
