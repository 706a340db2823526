import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Webhook } from '../../../src/client/client.ts';
import type { RotatedSecretAnswer } from '../../../src/client/types/webhooks.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** Test, a new secret, delete. */
export function WebhookActions({ webhook: { id, status } }: { readonly webhook: Webhook }): ReactNode {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [rotated, setRotated] = useState<RotatedSecretAnswer>();
  const test = useMutation({
    mutationFn: () => gatelog.webhooks.test(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  const rotate = async (): Promise<void> => setRotated((await gatelog.webhooks.rotateSecret(id)).data);
  const remove = async (): Promise<void> => {
    await gatelog.webhooks.delete(id);
    await navigate({ to: '/webhooks' });
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return (
    <>
      <ErrorNotice error={test.error} />
      {test.data !== undefined && <Notice kind={test.data.data.success ? 'success' : 'warning'}>{test.data.data.message}</Notice>}
      <Button onPress={() => test.mutate()} isDisabled={test.isPending}>
        {test.isPending ? 'Sending …' : 'Send a test'}
      </Button>
      <ConfirmButton
        title="Rotate the secret"
        kind="normal"
        consequence="For 24 hours both secrets sign, so that the receiver can take over the new one."
        onConfirm={rotate}
      />
      <ConfirmButton
        title="Delete the webhook"
        consequence={`${formatCount(status.pending)} pending ${status.pending === 1 ? 'delivery' : 'deliveries'} and the whole log go with it.`}
        onConfirm={remove}
      >
        Delete
      </ConfirmButton>
      {rotated !== undefined && <SecretDialog secret={rotated} onClose={() => setRotated(undefined)} />}
    </>
  );
}
