import { addDeliveries } from '../../src/events/log/add-deliveries.ts';
import { openEvents } from '../../src/events/database/database.ts';
import type { NewDelivery } from '../../src/model/events/event.ts';
import type { OrganizationId, RequestId } from '../../src/model/ids.ts';
import { apiClient } from './api.ts';
import { eventually } from './eventually.ts';
import { metadataRow } from './metadata-row.ts';
import type { Service } from './process-tree.ts';

export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

export interface DeliveryView {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly failure: string | null;
  readonly attempts: number;
}

export interface StatusView {
  readonly state: string;
  readonly disabled_reason: string | null;
  readonly pending: number;
  readonly failed_in_a_row: number;
  readonly behind_seconds: number;
}

export async function createWebhook({ api }: Service, destination: string): Promise<CreatedWebhook> {
  const { status, body } = await apiClient(api).call<CreatedWebhook>('POST', '/v1/webhooks', { destination });
  if (status !== 200) throw new Error(`the webhook was refused: ${String(body.error)}`);
  return body.data;
}

export async function statusOf({ api }: Service, id: string): Promise<StatusView> {
  const { body } = await apiClient(api).call<{ readonly status: StatusView }>('GET', `/v1/webhooks/${id}`);
  return body.data.status;
}

export async function deliveriesOf({ api }: Service, id: string): Promise<readonly DeliveryView[]> {
  return (await apiClient(api).call<readonly DeliveryView[]>('GET', `/v1/webhooks/${id}/deliveries?limit=1000`)).body.data;
}

/** Waits until nothing is pending for a webhook. */
export async function settled(service: Service, id: string): Promise<void> {
  await eventually('nothing to be pending', async () => ((await statusOf(service, id)).pending === 0 ? true : undefined), 120_000);
}

/** Adds events for a webhook to a data folder whose service does not run. @returns the identifiers of their deliveries. */
export async function plantEvents(dataDir: string, webhookId: string, count: number): Promise<readonly string[]> {
  return plant(
    dataDir,
    webhookId,
    Array.from({ length: count }, (_, number) => eventOf(number)),
  );
}

function eventOf(number: number): Partial<NewDelivery> {
  return { type: 'webhook.exhausted', subject: { kind: 'message', content: { number } } };
}

/** Adds an attempt that was answered with a text to the log of a request of a stopped service. */
export async function plantAnswered(dataDir: string, webhookId: string, requestId: string, answer: string): Promise<void> {
  const subject = { kind: 'request', requestId: requestId as RequestId, createdAt: Date.now() } as const;
  const [id = ''] = await plant(dataDir, webhookId, [{ type: 'request.completed', subject }]);
  await inEvents(dataDir, async ({ queries }) => {
    await queries
      .updateTable('deliveries')
      .set({ state: 'delivered', attempts: 1, due_at: null, ended_at: 2 })
      .where('id', '=', id)
      .execute();
    const times = { number: 1, started_at: 1, duration_ms: 1 };
    const told = { outcome: 'delivered', reason: null, status: 200, request_head: null, response_head: answer } as const;
    await queries
      .insertInto('attempts')
      .values({ delivery_id: id, ...times, ...told })
      .execute();
  });
}

async function plant(dataDir: string, webhookId: string, given: readonly Partial<NewDelivery>[]): Promise<readonly string[]> {
  const row = metadataRow(dataDir, `SELECT organization_id AS owner FROM webhooks WHERE id = '${webhookId}'`);
  const organizationId = (row as { readonly owner: OrganizationId }).owner;
  const shared = { organizationId, target: { kind: 'webhook', webhookId }, occurredAt: Date.now() } as const;
  const deliveries = given.map((each) => ({ ...shared, ...each }) as NewDelivery);
  return inEvents(dataDir, (events) => addDeliveries(events, deliveries, Date.now()));
}

async function inEvents<Result>(
  dataDir: string,
  work: (events: Awaited<ReturnType<typeof openEvents>>) => Promise<Result>,
): Promise<Result> {
  const events = await openEvents(dataDir, Date.now);
  try {
    return await work(events);
  } finally {
    await events.close();
  }
}
