export const webhookTabs = ['deliveries', 'settings'] as const;
export type WebhookTab = (typeof webhookTabs)[number];

export const deliveryStates = ['pending', 'delivered', 'failed', 'gone'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What the address of one webhook says. */
export interface WebhookSearch {
  readonly tab?: WebhookTab | undefined;
  /** Only deliveries in this state. */
  readonly state?: DeliveryState | undefined;
  /** The delivery that is open. */
  readonly delivery?: string | undefined;
}

export function webhookSearchOf({ tab, state, delivery }: Readonly<Record<string, unknown>>): WebhookSearch {
  const knownTab = webhookTabs.find((name) => name === tab);
  const knownState = deliveryStates.find((name) => name === state);
  return {
    ...(knownTab === undefined ? {} : { tab: knownTab }),
    ...(knownState === undefined ? {} : { state: knownState }),
    ...(typeof delivery === 'string' ? { delivery } : {}),
  };
}
