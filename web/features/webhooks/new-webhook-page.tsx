import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { WebhookBody } from '../../../src/client/client.ts';
import type { NewWebhookAnswer } from '../../../src/client/types/webhooks.ts';
import { gatelog } from '../../lib/client.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { emptyWebhook } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';

export function NewWebhookPage(): ReactNode {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayMake = useMay('admin');
  const [made, setMade] = useState<NewWebhookAnswer>();
  const make = async (webhook: WebhookBody): Promise<void> => {
    setMade((await gatelog.webhooks.create(webhook)).data);
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return (
    <Page title="New webhook">
      {!mayMake && <Notice kind="warning">You may not create webhooks: it takes the permission admin.</Notice>}
      <Section title="Webhook">
        <WebhookForm initial={emptyWebhook} submit="Create webhook" onSubmit={make} onCancel={() => void navigate({ to: '/webhooks' })} />
      </Section>
      {made !== undefined && (
        <SecretDialog secret={made} onClose={() => void navigate({ to: '/webhooks/$webhookId', params: { webhookId: made.id } })} />
      )}
    </Page>
  );
}
