import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import type { Alert } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { ConfirmButton } from '../../ui/overlay/confirm-button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { MenuButton } from '../../ui/overlay/menu-button.tsx';
import { alertQuery, deliveriesQuery, incidentsQuery } from './alerts-query.ts';
import { isMuted } from './measure-text.ts';

// The date field brings calendars of all locales.
const MuteForm = lazyPart(async () => (await import('./mute-form.tsx')).MuteForm);

const hour = 3_600_000;
const mutes = [
  { id: '1', title: 'For an hour', ms: hour },
  { id: '24', title: 'For a day', ms: 24 * hour },
  { id: '168', title: 'For a week', ms: 168 * hour },
] as const;

/** What can be done with a rule beside changing it. */
export function useAlertActions(id: string) {
  const queryClient = useQueryClient();
  const mute = useMutation({
    mutationFn: (until: string | null) => gatelog.alerts.change(id, (present) => ({ ...present, mute_until: until })),
    onSuccess: async ({ data }) => {
      queryClient.setQueryData(alertQuery(id).queryKey, data);
      await queryClient.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const test = useMutation({
    mutationFn: () => gatelog.alerts.test(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: deliveriesQuery(id).queryKey }),
  });
  return { mute, test };
}

export interface AlertActionsProps {
  readonly alert: Alert;
  readonly actions: ReturnType<typeof useAlertActions>;
}

/** Mute, test, delete. */
export function AlertActions({ alert, actions: { mute, test } }: AlertActionsProps): ReactNode {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isChoosing, setIsChoosing] = useState(false);
  const { data: incidents } = useQuery(incidentsQuery(alert.id));
  const remove = async (): Promise<void> => {
    await gatelog.alerts.delete(alert.id);
    await navigate({ to: '/alerts' });
    queryClient.removeQueries({ queryKey: alertQuery(alert.id).queryKey });
    await queryClient.invalidateQueries({ queryKey: ['alerts'] });
  };
  const choices = [
    ...mutes.map(({ id, title, ms }) => ({ id, title, onPick: () => mute.mutate(new Date(Date.now() + ms).toISOString()) })),
    { id: 'until', title: 'Until a time…', onPick: () => setIsChoosing(true) },
  ];
  const close = (): void => setIsChoosing(false);
  return (
    <>
      {isMuted(alert) ? <Button onPress={() => mute.mutate(null)}>Unmute</Button> : <MenuButton label="Mute" items={choices} />}
      <Button onPress={() => test.mutate()} isDisabled={alert.channels.length === 0 || test.isPending}>
        Send a test
      </Button>
      <ConfirmButton
        title="Delete the rule"
        consequence={`${incidentsText(incidents?.length)} and its history go with it, and nothing more is sent.`}
        onConfirm={remove}
      >
        Delete
      </ConfirmButton>
      <Dialog title="Mute the rule" isOpen={isChoosing} onClose={close}>
        <Suspense fallback={<Loading />}>
          <MuteForm onMute={async (until) => mute.mutateAsync(until).then(close)} onCancel={close} />
        </Suspense>
      </Dialog>
    </>
  );
}

function incidentsText(count: number | undefined): string {
  if (count === undefined) return 'Its incidents';
  return count === 1 ? 'Its incident' : `Its ${formatCount(count)} incidents`;
}

/** What came of the last action. */
export function ActionNotices({ actions: { mute, test } }: Pick<AlertActionsProps, 'actions'>): ReactNode {
  const channels = test.data?.data.channels;
  return (
    <>
      <ErrorNotice error={mute.error ?? test.error} />
      {channels !== undefined && !test.isPending && (
        <Notice kind="success">
          A test message is on its way to {channels === 1 ? 'the channel' : `${channels} channels`}. “Messages” shows whether it arrives.
        </Notice>
      )}
    </>
  );
}
