import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ChannelType, chatServiceWords, forChatServices } from '../../../../src/model/events/channel.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Select } from '../../../ui/select.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { webhooksQuery } from '../../webhooks/webhooks-query.ts';
import { type ChannelDraft, channelFault, newChannel } from './rule-draft.ts';
import styles from './rule.module.css';

const kinds: Readonly<Record<ChannelType, { readonly label: string; readonly target: string; readonly placeholder: string }>> = {
  email: { label: 'E-mail', target: 'Addresses, with commas between them', placeholder: 'ops@example.com' },
  ...forChatServices((service) => {
    const { title, label, placeholder } = chatServiceWords[service];
    return { label: title, target: label, placeholder };
  }),
  pagerduty: { label: 'PagerDuty', target: 'Integration key', placeholder: '32 letters and digits' },
  webhook: { label: 'Webhook', target: 'Address', placeholder: 'https://example.com/alerts' },
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
      <legend>Notify</legend>
      {channels.length === 0 && <p className="muted">Nobody is notified until there is a channel.</p>}
      {channels.map((channel, index) => (
        <div key={channel.id ?? `new ${index}`} className={styles['channel']}>
          <Channel channel={channel} onChange={(changed) => onChange(channels.with(index, changed))} />
          <Button kind="quiet" onPress={() => onChange(channels.toSpliced(index, 1))} aria-label={`Remove channel ${index + 1}`}>
            ✕
          </Button>
        </div>
      ))}
      <Button onPress={() => onChange([...channels, newChannel])}>Add a channel</Button>
    </fieldset>
  );
}

interface ChannelProps {
  readonly channel: ChannelDraft;
  readonly onChange: (channel: ChannelDraft) => void;
}

function Channel({ channel, onChange }: ChannelProps): ReactNode {
  if (channel.id === undefined) return <NewChannel channel={channel} onChange={onChange} />;
  return (
    <>
      <b>{kinds[channel.type].label}</b>
      <span className="clip" dir="auto" title={channel.shown}>
        {channel.shown}
      </span>
    </>
  );
}

type NewChannelDraft = Extract<ChannelDraft, { readonly target: string }>;
type ChosenDraft = Extract<NewChannelDraft, { readonly type: ChannelType }>;

export interface NewChannelProps {
  readonly channel: NewChannelDraft;
  readonly onChange: (channel: NewChannelDraft) => void;
}

interface TargetProps extends Pick<NewChannelProps, 'onChange'> {
  readonly channel: ChosenDraft;
}

const notChosen = 'not chosen';

/** A channel to be made: its kind, and where its messages go. */
export function NewChannel({ channel, onChange }: NewChannelProps): ReactNode {
  const { type, target } = channel;
  const choose = (chosen: ChannelType | typeof notChosen): void => {
    if (chosen !== notChosen) onChange({ type: chosen, target: channel.webhookId === undefined ? target : '' });
  };
  return (
    <>
      <Select
        label="Kind of channel"
        isLabelShown
        value={type ?? notChosen}
        options={type === undefined ? [{ value: notChosen, label: 'Choose a kind' }, ...kindOptions] : kindOptions}
        onChange={choose}
      />
      {channel.type === undefined ? (
        // The button that removes a channel stays at the end of its line.
        <span />
      ) : channel.type === 'webhook' ? (
        <WebhookTarget channel={channel} onChange={onChange} />
      ) : (
        <TargetField channel={channel} onChange={onChange} />
      )}
    </>
  );
}

function TargetField({ channel, onChange }: TargetProps): ReactNode {
  const { type, target } = channel;
  return (
    <TextField
      label={kinds[type].target}
      value={target}
      onChange={(text) => onChange({ type, target: text })}
      placeholder={kinds[type].placeholder}
      fault={channelFault(channel)}
    />
  );
}

const otherAddress = 'other';

/** One of the webhooks that there are, or an address. */
function WebhookTarget({ channel, onChange }: TargetProps): ReactNode {
  const [isOther, setIsOther] = useState(channel.target !== '' && channel.webhookId === undefined);
  const { data: webhooks, error } = useQuery(webhooksQuery);
  if (error !== null) return <ErrorNotice error={error} />;
  if (webhooks === undefined) return <Loading />;
  if (webhooks.length === 0) return <TargetField channel={channel} onChange={onChange} />;
  const known = webhooks.map(({ id, name, destination }) => ({ value: id, label: name ?? destination }));
  const isChosen = isOther || channel.webhookId !== undefined;
  const options = [
    ...(isChosen ? [] : [{ value: notChosen, label: 'Choose a webhook' }]),
    ...known,
    { value: otherAddress, label: 'Another address' },
  ];
  const pick = (value: string): void => {
    const picked = known.find((one) => one.value === value);
    setIsOther(value === otherAddress);
    onChange({ type: 'webhook', target: picked?.label ?? '', webhookId: picked?.value });
  };
  return (
    <div className={styles['webhook']}>
      <Select
        label="Webhook"
        isLabelShown
        value={isOther ? otherAddress : (channel.webhookId ?? notChosen)}
        options={options}
        onChange={pick}
      />
      {isOther && <TargetField channel={channel} onChange={onChange} />}
    </div>
  );
}
