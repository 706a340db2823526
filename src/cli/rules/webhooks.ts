import type { Delivery, Webhook } from '../../client/client.ts';
import { printable } from '../../config/text-table.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { writeList } from '../base/lists.ts';
import { detailsText } from '../terminal/details.ts';
import { jsonText } from '../base/json.ts';
import { paintOf, rowWriter, writeRows } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { countText, momentText } from '../terminal/texts.ts';
import { timeOf } from '../base/time-window.ts';
import { named } from './named.ts';

export interface JsonOption {
  readonly json?: true;
}

export interface WebhookCreateOptions extends FilterOptions, JsonOption {
  readonly name?: string;
  readonly event?: readonly string[];
  readonly sampleRate?: number;
}

export interface DeliveriesOptions extends JsonOption {
  readonly state?: Delivery['state'];
  readonly limit: number;
}

const pageLimit = 100;

export async function listWebhooks(dependencies: CommandDependencies, { json }: JsonOption): Promise<void> {
  const { data } = await serviceClient(dependencies).webhooks.list();
  const none = 'There are no webhooks; "gatelog webhooks create https://…" makes one.';
  await writeRows(dependencies, data, { columns: webhookColumns, json, none });
}

export async function getWebhook(dependencies: CommandDependencies, given: string, { json }: JsonOption): Promise<void> {
  const webhook = await webhookNamed(dependencies, given);
  if (json === true) return dependencies.print(jsonText(webhook, 2));
  const { config, status } = webhook;
  const details = [
    ['Identifier', webhook.id],
    ['Name', webhook.name ?? undefined],
    ['Destination', webhook.destination],
    ['Events', config.events.join(', ')],
    ['Filter', jsonText(config.filter)],
    ['Sample rate', `${config.sampleRate} %`],
    ['State', stateOf(webhook)],
    ['Pending', countText(status.pending)],
    ['Behind', `${status.behind_seconds} s`],
    ['Last success', status.last_success_at ?? undefined],
    ['Last failure', status.last_failure_at ?? undefined],
  ] as const;
  dependencies.print(detailsText(details, paintOf(dependencies)));
}

export async function createWebhook(dependencies: CommandDependencies, destination: string, options: WebhookCreateOptions): Promise<void> {
  const { event, sampleRate, name, json } = options;
  const isFiltered = [options.filter, options.where, options.property].some((option) => option !== undefined);
  const config = {
    ...(isFiltered ? { filter: filterOf(options) } : {}),
    ...(sampleRate === undefined ? {} : { sampleRate }),
    // The service says which ones there are.
    ...(event === undefined ? {} : { events: event as Webhook['config']['events'] }),
  };
  const { data } = await serviceClient(dependencies).webhooks.create({ destination, config, ...(name === undefined ? {} : { name }) });
  if (json === true) return dependencies.print(jsonText(data, 2));
  const details = [
    ['Identifier', data.id],
    ['Destination', data.destination],
    ['Secret', data.secret],
    ['hmac_key', data.hmac_key],
  ] as const;
  dependencies.print(detailsText(details, paintOf(dependencies)));
  dependencies.hint(`The secret is not shown again. Try it: gatelog webhooks test ${data.name ?? data.id}`);
}

export async function deleteWebhook(dependencies: CommandDependencies, given: string): Promise<void> {
  const { id } = await webhookNamed(dependencies, given);
  await serviceClient(dependencies).webhooks.delete(id);
  dependencies.print(`Deleted ${id}.`);
}

export async function testWebhook(dependencies: CommandDependencies, given: string, { json }: JsonOption): Promise<void> {
  const { id } = await webhookNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).webhooks.test(id);
  dependencies.print(json === true ? jsonText(data, 2) : printable(data.message));
  if (!data.success) throw new CommandError('The destination did not take the event.');
}

export async function listDeliveries(dependencies: CommandDependencies, given: string, options: DeliveriesOptions): Promise<void> {
  const { id } = await webhookNamed(dependencies, given);
  const client = serviceClient(dependencies);
  const { state, limit, json } = options;
  await writeList(dependencies, {
    ask: (page) => client.webhooks.deliveries(id, { ...page, ...(state === undefined ? {} : { state }) }),
    limit,
    pageLimit,
    write: rowWriter(dependencies, { columns: deliveryColumns(dependencies.now()), json }).add,
    noun: 'deliveries',
  });
}

export async function replayDelivery(dependencies: CommandDependencies, given: string, deliveryId: string): Promise<void> {
  const { id } = await webhookNamed(dependencies, given);
  await serviceClient(dependencies).webhooks.replay(id, deliveryId);
  dependencies.print(`${deliveryId} is retried.`);
}

export async function recoverDeliveries(
  dependencies: CommandDependencies,
  given: string,
  { since }: { readonly since: string },
): Promise<void> {
  const at = timeOf(since, { option: '--since', now: dependencies.now(), timezone: 'UTC' });
  const { id } = await webhookNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).webhooks.recover(id, at);
  dependencies.print(`${countText(data)} failed ${data === 1 ? 'delivery is' : 'deliveries are'} retried.`);
}

export async function rotateSecret(dependencies: CommandDependencies, given: string, { json }: JsonOption): Promise<void> {
  const { id } = await webhookNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).webhooks.rotateSecret(id);
  if (json === true) return dependencies.print(jsonText(data, 2));
  const details = [
    ['Secret', data.secret],
    ['hmac_key', data.hmac_key],
  ] as const;
  dependencies.print(detailsText(details, paintOf(dependencies)));
  dependencies.hint(`The secret is not shown again. The previous one signs too until ${data.previous_signs_until}.`);
}

async function webhookNamed(dependencies: CommandDependencies, given: string): Promise<Webhook> {
  return named((await serviceClient(dependencies).webhooks.list()).data, given, 'webhook');
}

function stateOf({ status }: Webhook): string {
  return status.disabled_reason === null ? status.state : `${status.state} (${status.disabled_reason})`;
}

const webhookColumns: readonly Column<Webhook>[] = [
  { title: 'NAME', text: ({ name }) => name ?? '-', minWidth: 8 },
  { title: 'DESTINATION', text: ({ destination }) => destination, minWidth: 16 },
  { title: 'EVENTS', text: ({ config }) => config.events.join(','), minWidth: 10, from: 100 },
  { title: 'STATE', text: stateOf, colour: ({ status }) => (status.state === 'enabled' ? undefined : 'red') },
  { title: 'PENDING', text: ({ status }) => countText(status.pending), side: 'right' },
  { title: 'FAILING', text: ({ status }) => countText(status.failed_in_a_row), side: 'right' },
  { title: 'IDENTIFIER', text: ({ id }) => id, from: 120 },
];

function deliveryColumns(now: number): readonly Column<Delivery>[] {
  const clock = { now, timezone: 'UTC' };
  return [
    { title: 'TIME', text: ({ created_at: at }) => momentText(at, clock) },
    { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => (state === 'failed' ? 'red' : undefined) },
    { title: 'EVENT', text: ({ type }) => type },
    { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts), side: 'right' },
    { title: 'STATUS', text: ({ last_status: status }) => (status === null ? '-' : String(status)), side: 'right' },
    { title: 'IDENTIFIER', text: ({ id }) => id },
    { title: 'REASON', text: ({ last_reason: reason }) => reason ?? '', minWidth: 10 },
  ];
}
