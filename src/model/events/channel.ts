/** Where an alert may be told. */
export const channelTypes = ['webhook', 'email', 'slack', 'teams', 'pagerduty'] as const;
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
  | { readonly type: 'slack' | 'teams'; readonly url: string }
  | { readonly type: 'pagerduty'; readonly routingKey: string };

/** A channel that the rule has already; the further fields of it are as they were shown. */
export interface KeptChannel {
  readonly id: string;
  readonly type: ChannelType | undefined;
  readonly given: ShownParts;
}

export type GivenChannel = NewChannel | KeptChannel;

/** What is shown of a channel: addresses without their path, keys by their last characters. */
export interface ShownParts {
  readonly webhookId?: string | undefined;
  readonly destination?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly routingKey?: string | undefined;
}

export interface StoredChannel {
  readonly id: string;
  readonly type: ChannelType;
  readonly shown: ShownParts;
  /** The secret part, encrypted; null where there is none. */
  readonly sealed: string | null;
}
