/** Services that take a message for a room at a secret address. */
export const chatServices = ['slack', 'teams'] as const;
export type ChatService = (typeof chatServices)[number];

interface ChatServiceWords {
  readonly title: string;
  /** What its address is, in the middle of a sentence. */
  readonly address: string;
  /** Label of the field for the address, and an example of one. */
  readonly label: string;
  readonly placeholder: string;
}

export const chatServiceWords: Readonly<Record<ChatService, ChatServiceWords>> = {
  slack: {
    title: 'Slack',
    address: 'an incoming webhook of Slack or Mattermost, or of Discord with /slack at its end',
    label: 'Address of the incoming webhook',
    placeholder: 'https://hooks.slack.com/services/…',
  },
  teams: {
    title: 'Microsoft Teams',
    address: 'the address of a workflow',
    label: 'Address of the workflow',
    placeholder: 'https://…',
  },
};

export function forChatServices<T>(make: (service: ChatService) => T): Readonly<Record<ChatService, T>> {
  return Object.fromEntries(chatServices.map((service) => [service, make(service)])) as Record<ChatService, T>;
}

/** Where an alert may be told. */
export const channelTypes = ['webhook', 'email', ...chatServices, 'pagerduty'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** Channels of a rule, addresses of one mail, characters of an address. */
export const channelLimits = { channels: 10, recipients: 20, addressCharacters: 2048, keyCharacters: 256 } as const;

/** A channel as a caller gives it, secrets included. */
export type NewChannel =
  /** A stored webhook, with its address and secret. */
  | { readonly type: 'webhook'; readonly webhookId: string }
  | { readonly type: 'webhook'; readonly webhookName: string }
  /** `secret` signs as that of a stored webhook does; undefined: a new one. */
  | { readonly type: 'webhook'; readonly destination: string; readonly secret: string | undefined }
  | { readonly type: 'email'; readonly to: readonly string[] }
  | { readonly type: ChatService; readonly url: string }
  | { readonly type: 'pagerduty'; readonly routingKey: string };

/** A channel that the rule has already; the further fields of it are as they were shown. */
export interface KeptChannel {
  readonly id: string;
  readonly type: ChannelType | undefined;
  readonly given: ChannelView;
}

export type ChannelInput = NewChannel | KeptChannel;

/** What is shown of a channel: addresses without their path, keys by their last characters. */
export interface ChannelView {
  readonly webhookId?: string | undefined;
  readonly destination?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly routingKey?: string | undefined;
}

export interface StoredChannel {
  readonly id: string;
  readonly type: ChannelType;
  readonly shown: ChannelView;
  /** The secret part, encrypted; null where there is none. */
  readonly sealed: string | null;
}
