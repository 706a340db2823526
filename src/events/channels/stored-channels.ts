import type { Cipher } from '../../auth/sealing.ts';
import type { EgressPolicy } from '../../egress/target-guard.ts';
import type { ChatService, ChannelInput, KeptChannel, NewChannel, ChannelView, StoredChannel } from '../../model/events/channel.ts';
import { bodyFault, type FaultPath, type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { type MailPolicy, recipientProblem, recipientsOf, tooManyRecipients } from './mail-policy.ts';
import { fromStandardForm, newSigningSecret, standardForm } from './signature.ts';

/** The secret part of a channel. */
export type ChannelSecret =
  | { readonly type: 'webhook'; readonly destination: string; readonly hmacKey: string }
  | { readonly type: ChatService; readonly url: string }
  | { readonly type: 'pagerduty'; readonly routingKey: string };

export interface ChannelStoreOptions {
  readonly cipher: Cipher;
  readonly guard: EgressPolicy;
  /** @returns the identifier of a webhook of the organisation; undefined when it has no such one. */
  readonly webhookOf: (organizationId: OrganizationId, wanted: { readonly id: string } | { readonly name: string }) => string | undefined;
  /** Undefined: the deployment has no mail server. */
  readonly mail: MailPolicy | undefined;
  /** All channels of an organisation's rules. */
  readonly channelsOf: (organizationId: OrganizationId) => Iterable<StoredChannel>;
  readonly newId: () => string;
}

export interface StoredChannels {
  readonly channels: readonly StoredChannel[];
  /** Secrets that the service chose, by identifier of the channel: shown in the answer of this call and never again. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Turns channels as callers give them into those that are stored, and back into what is shown. */
export interface ChannelStore {
  /**
   * A channel that the rule has already, given again with the same content, stays the same.
   * @param present the channels of the rule until now. A fault's path begins with the index of the channel.
   */
  readonly store: (
    organizationId: OrganizationId,
    given: readonly ChannelInput[],
    present: readonly StoredChannel[],
  ) => Result<StoredChannels>;
  /** @returns the secret part; null where there is none, undefined when it cannot be decrypted. */
  readonly open: (organizationId: OrganizationId, channel: StoredChannel) => ChannelSecret | null | undefined;
  readonly isReadable: (organizationId: OrganizationId, channel: StoredChannel) => boolean;
}

export function makeChannelStore(options: ChannelStoreOptions): ChannelStore {
  const { cipher, newId } = options;
  const open: ChannelStore['open'] = (organizationId, { id, sealed }) => {
    if (sealed === null) return null;
    const opened = cipher.open([organizationId, id], sealed);
    return opened === undefined ? undefined : (JSON.parse(opened) as ChannelSecret);
  };
  return {
    store: (organizationId, given, present) => {
      const channels: StoredChannel[] = [];
      const secrets = new Map<string, string>();
      const isFree = ({ id }: StoredChannel): boolean => channels.every((channel) => channel.id !== id);
      for (const [index, channel] of given.entries()) {
        if ('id' in channel) {
          const kept = keep(channel, present, [index]);
          if (!kept.ok) return kept;
          if (!isFree(kept.value)) return bodyFault([index, 'id'], 'This channel stands in the list twice.');
          channels.push(kept.value);
          continue;
        }
        const parts = split(organizationId, channel, options);
        if ('message' in parts) return bodyFault([index, ...parts.path], parts.message);
        const { shown, secret, isChosen } = parts;
        const problem = recipientsProblem(options, { organizationId, present, channels }, shown);
        if (problem !== undefined) return bodyFault([index, 'to'], problem);
        const same = present.find(
          (each) => each.type === channel.type && isFree(each) && isSame(parts, each.shown, open(organizationId, each)),
        );
        if (same !== undefined) {
          channels.push(same);
          continue;
        }
        const id = newId();
        const sealed = secret === null ? null : cipher.seal([organizationId, id], JSON.stringify(secret));
        channels.push({ id, type: channel.type, shown, sealed });
        if (isChosen && secret?.type === 'webhook') secrets.set(id, standardForm(secret));
      }
      return success({ channels, secrets });
    },
    open,
    isReadable: (organizationId, channel) => open(organizationId, channel) !== undefined,
  };
}

/** A channel as it is stored, before its secret is sealed. */
interface Parts {
  readonly shown: ChannelView;
  readonly secret: ChannelSecret | null;
  /** The service chose the secret. */
  readonly isChosen: boolean;
}

/** Whether a channel is the one that is stored. A secret that nobody gave is whichever is there. */
function isSame({ shown, secret, isChosen }: Parts, storedShown: ChannelView, stored: ChannelSecret | null | undefined): boolean {
  if (stored === undefined || JSON.stringify(shown) !== JSON.stringify(storedShown)) return false;
  const isOther = isChosen && secret?.type === 'webhook' && stored?.type === 'webhook';
  return JSON.stringify(isOther ? { ...secret, hmacKey: stored.hmacKey } : secret) === JSON.stringify(stored);
}

function keep({ id, type, given }: KeptChannel, present: readonly StoredChannel[], path: FaultPath): Result<StoredChannel> {
  const kept = present.find((channel) => channel.id === id);
  if (kept === undefined) {
    return bodyFault(
      [...path, 'id'],
      'The rule has no channel with this `id`; leave it out for a new channel, which the service gives one.',
    );
  }
  const shown: Readonly<Record<string, unknown>> = { ...kept.shown, type: kept.type };
  const changed = Object.entries({ ...given, type }).find(
    ([field, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(shown[field]),
  );
  if (changed === undefined) return success(kept);
  return bodyFault(
    [...path, changed[0]],
    'A channel with an `id` stays as it is; leave `id` out, and give all of the channel, to change it.',
  );
}

/** @returns why a channel's recipients are too many, beside those of other rules and of the channels before it. */
function recipientsProblem(
  { mail, channelsOf }: ChannelStoreOptions,
  {
    organizationId,
    present,
    channels,
  }: { organizationId: OrganizationId; present: readonly StoredChannel[]; channels: readonly StoredChannel[] },
  { to }: ChannelView,
): string | undefined {
  if (mail === undefined || to === undefined) return undefined;
  const replaced = new Set(present.map(({ id }) => id));
  const others = [...channelsOf(organizationId)].filter(({ id }) => !replaced.has(id));
  return tooManyRecipients(mail, { others: recipientsOf([...others, ...channels]), present: recipientsOf(present) }, to);
}

interface Problem {
  readonly path: FaultPath;
  readonly message: string;
}

function split(organizationId: OrganizationId, channel: NewChannel, { guard, webhookOf, mail }: ChannelStoreOptions): Parts | Problem {
  const addressProblem = (field: string, address: string): Problem | undefined => {
    const checked = guard.check(address, 'events');
    return 'problem' in checked ? { path: [field], message: `\`${field}\` ${checked.problem}.` } : undefined;
  };
  switch (channel.type) {
    case 'webhook': {
      if ('destination' in channel) return addressProblem('destination', channel.destination) ?? ofDestination(channel);
      const [field, wanted] =
        'webhookId' in channel
          ? (['webhookId', { id: channel.webhookId }] as const)
          : (['webhook', { name: channel.webhookName }] as const);
      const webhookId = webhookOf(organizationId, wanted);
      if (webhookId !== undefined) return { shown: { webhookId }, secret: null, isChosen: false };
      return { path: [field], message: 'The organisation has no such webhook; GET /v1/webhooks lists them.' };
    }
    case 'email': {
      const message = 'This deployment has no mail server; set GATELOG_SMTP_URL, or choose another channel.';
      if (mail === undefined) return { path: ['type'], message };
      for (const address of channel.to) {
        const problem = recipientProblem(mail, address);
        if (problem !== undefined) return { path: ['to'], message: problem };
      }
      return { shown: { to: channel.to }, secret: null, isChosen: false };
    }
    case 'pagerduty': {
      const { type, routingKey } = channel;
      return { shown: { routingKey: `…${routingKey.slice(-4)}` }, secret: { type, routingKey }, isChosen: false };
    }
    default: {
      const { type, url } = channel;
      return addressProblem('url', url) ?? { shown: { url: withoutPath(url) }, secret: { type, url }, isChosen: false };
    }
  }
}

function ofDestination({ destination, secret }: { readonly destination: string; readonly secret: string | undefined }): Parts {
  const { hmacKey } = secret === undefined ? newSigningSecret() : fromStandardForm(secret);
  const shown = { destination: withoutPath(destination) };
  return { shown, secret: { type: 'webhook', destination, hmacKey }, isChosen: secret === undefined };
}

/** An address without its path and query, which may be its secret. */
export function withoutPath(address: string): string {
  return `${new URL(address).origin}/…`;
}
