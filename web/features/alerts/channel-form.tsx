import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Alert } from '../../../src/client/client.ts';
import { gatelog } from '../../lib/client.ts';
import { correctFields, Form } from '../../ui/form/form.tsx';
import { alertQuery } from './alerts-query.ts';
import { NewChannel, type NewChannelProps } from './rule/channels-field.tsx';
import { channelFault, channelOf, newChannel } from './rule/rule-draft.ts';

interface ChannelFormProps {
  readonly alert: Alert;
  readonly onAdded: (changed: Alert) => void;
  readonly onCancel: () => void;
}

/** The fields of a channel that is added to a rule. */
export function ChannelForm({ alert: { id }, onAdded, onCancel }: ChannelFormProps): ReactNode {
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
