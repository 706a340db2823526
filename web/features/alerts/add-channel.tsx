import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Alert } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { Button } from '../../ui/button.tsx';
import { correctFields, Form } from '../../ui/form/form.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { alertQuery } from './alerts-query.ts';
import { NewChannel, type NewChannelProps } from './rule/channels-field.tsx';
import { channelFault, channelOf, newChannel } from './rule/rule-draft.ts';
import { hasSecrets, SecretsDialog } from './secrets-dialog.tsx';

/** A button that adds a channel to a rule, whatever else the rule says. */
export function AddChannel({ alert }: { readonly alert: Alert }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [stored, setStored] = useState<Alert>();
  const close = (): void => setIsOpen(false);
  const onAdded = (changed: Alert): void => {
    close();
    if (hasSecrets(changed)) setStored(changed);
  };
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Add a channel</Button>
      <Dialog title="Add a channel" isOpen={isOpen} onClose={close}>
        <ChannelForm alert={alert} onAdded={onAdded} onCancel={close} />
      </Dialog>
      {stored !== undefined && <SecretsDialog alert={stored} onClose={() => setStored(undefined)} />}
    </>
  );
}

interface ChannelFormProps {
  readonly alert: Alert;
  readonly onAdded: (changed: Alert) => void;
  readonly onCancel: () => void;
}

function ChannelForm({ alert: { id }, onAdded, onCancel }: ChannelFormProps): ReactNode {
  const queryClient = useQueryClient();
  const [channel, setChannel] = useState<NewChannelProps['channel']>(newChannel);
  const add = async (): Promise<void> => {
    if (channel.type === undefined) return;
    // Stored channels are kept by their identifiers.
    const { data } = await gatelog.alerts.change(id, (present) => ({ ...present, channels: [...present.channels, channelOf(channel)] }));
    queryClient.setQueryData(alertQuery(id).queryKey, data);
    await queryClient.invalidateQueries({ queryKey: ['alerts'] });
    onAdded(data);
  };
  return (
    <Form
      label="Channel"
      submit="Add the channel"
      onSubmit={add}
      onCancel={onCancel}
      value={channel}
      missing={
        channel.type === undefined
          ? 'Choose a kind of channel.'
          : channel.target.trim() === ''
            ? 'Say where the messages go.'
            : channelFault(channel) === undefined
              ? undefined
              : correctFields
      }
    >
      <NewChannel channel={channel} onChange={setChannel} />
    </Form>
  );
}
