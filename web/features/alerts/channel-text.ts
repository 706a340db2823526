import type { Alert } from '../../../src/client/client.ts';

type Channel = Alert['channels'][number];

/** A webhook of the organisation, as a list has it. */
export interface NamedWebhook {
  readonly id: string;
  readonly name: string | null;
  readonly destination: string;
}

/** A channel with where it leads: `email ops@example.com`, `webhook hooks.example.com/…`. The path of an address may be a secret. */
export function channelText({ type, to, destination, url, routingKey, webhookId }: Channel, webhooks: readonly NamedWebhook[]): string {
  const address = destination ?? url;
  const where = to?.join(', ') ?? (address === undefined ? undefined : addressText(address)) ?? routingKey;
  if (where !== undefined) return `${type} ${where}`;
  return webhookId === undefined ? type : webhookText(webhookId, webhooks);
}

/** One of the webhooks by its name, else by its address. */
export function webhookText(webhookId: string, webhooks: readonly NamedWebhook[]): string {
  const webhook = webhooks.find(({ id }) => id === webhookId);
  return webhook === undefined ? 'webhook' : `webhook ${webhook.name ?? addressText(webhook.destination)}`;
}

/** Host and path without the parts that may be secret, and without what every address begins with. */
function addressText(address: string): string {
  const { host, pathname } = new URL(address);
  return pathname === '/' ? host : `${host}/…`;
}
