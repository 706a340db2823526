import type { ReactNode } from 'react';
import { type ChannelType, chatServices, chatServiceWords, forChatServices } from '../../../../src/model/events/channel.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Select } from '../../../ui/select.tsx';
import type { ChannelDraft } from './rule-draft.ts';
import styles from './rule.module.css';

const kinds: Readonly<Record<ChannelType, { readonly label: string; readonly target: string; readonly placeholder: string }>> = {
  email: { label: 'E-mail', target: 'Addresses, with commas between them', placeholder: 'ops@example.com' },
  ...forChatServices((service) => {
    const { title, label, placeholder } = chatServiceWords[service];
    return { label: title, target: label, placeholder };
  }),
  pagerduty: { label: 'PagerDuty', target: 'Integration key', placeholder: '32 letters and digits' },
  webhook: { label: 'Webhook', target: 'Address, or the name of one of your webhooks', placeholder: 'https://example.com/alerts' },
};

const kindOptions = Object.entries(kinds).map(([value, { label }]) => ({ value: value as ChannelType, label }));

export interface ChannelsFieldProps {
  readonly channels: readonly ChannelDraft[];
  readonly onChange: (channels: readonly ChannelDraft[]) => void;
}

/** Who is told. A stored channel is kept or removed; its secret is never shown. */
export function ChannelsField({ channels, onChange }: ChannelsFieldProps): ReactNode {
  return (
    <fieldset className={styles['channels']}>
      <legend>Tell</legend>
      {channels.length === 0 && <p className="muted">Nobody is told until there is a channel.</p>}
      {channels.map((channel, index) => (
        <div key={channel.id ?? `new ${index}`} className={styles['channel']}>
          <Channel channel={channel} onChange={(changed) => onChange(channels.with(index, changed))} />
          <Button kind="quiet" onPress={() => onChange(channels.toSpliced(index, 1))} aria-label={`Remove channel ${index + 1}`}>
            ✕
          </Button>
        </div>
      ))}
      {/* Mail needs a server that the deployment may not have. */}
      <Button onPress={() => onChange([...channels, { type: chatServices[0], target: '' }])}>Add a channel</Button>
    </fieldset>
  );
}

interface ChannelProps {
  readonly channel: ChannelDraft;
  readonly onChange: (channel: ChannelDraft) => void;
}

function Channel({ channel, onChange }: ChannelProps): ReactNode {
  if (channel.id !== undefined) {
    return (
      <>
        <b>{kinds[channel.type].label}</b>
        <span className="clip" dir="auto" title={channel.shown}>
          {channel.shown}
        </span>
      </>
    );
  }
  const { type, target } = channel;
  return (
    <>
      <Select
        label="Kind of channel"
        isLabelShown
        value={type}
        options={kindOptions}
        onChange={(chosen) => onChange({ type: chosen, target })}
      />
      <TextField
        label={kinds[type].target}
        value={target}
        onChange={(text) => onChange({ type, target: text })}
        placeholder={kinds[type].placeholder}
      />
    </>
  );
}
