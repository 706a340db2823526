import { changeSetting } from '../connection/changing.ts';
import { answerOf, type Page, pageOf } from '../connection/pages.ts';
import type { Answer, CallInput, CallOptions, Connection } from '../connection/connection.ts';
import type {
  Delivery,
  DeliveryAnswer,
  NewWebhookAnswer,
  RotatedSecretAnswer,
  Webhook,
  WebhookBody,
  WebhookTestAnswer,
} from '../types/webhooks.ts';

type DeliveriesOptions = NonNullable<CallInput<'GET /v1/webhooks/{id}/deliveries'>['query']> & CallOptions;

/** Events that are posted to an address as they happen, and the log of it. */
export class Webhooks {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Oldest first. */
  async list(options: CallOptions = {}): Promise<Answer<readonly Webhook[]>> {
    return answerOf(await this.connection.call('GET /v1/webhooks', options));
  }

  async get(id: string, options: CallOptions = {}): Promise<Answer<Webhook>> {
    return answerOf(await this.connection.call('GET /v1/webhooks/{id}', { path: { id }, ...options }));
  }

  /** The answer alone shows the secret. */
  async create(webhook: WebhookBody, options: CallOptions = {}): Promise<Answer<NewWebhookAnswer>> {
    return answerOf(await this.connection.call('POST /v1/webhooks', { body: webhook, ...options }));
  }

  /** What is absent gets its default; without `enabled` the state stays. */
  async replace(id: string, webhook: WebhookBody, options: CallOptions = {}): Promise<Answer<Webhook>> {
    return answerOf(await this.connection.call('PUT /v1/webhooks/{id}', { path: { id }, body: webhook, ...options }));
  }

  /** Changes the webhook as it is by now, and again where somebody else changes it meanwhile. */
  async change(id: string, change: (present: Webhook) => WebhookBody, options: CallOptions = {}): Promise<Answer<Webhook>> {
    const { connection } = this;
    const path = { id };
    return changeSetting(
      {
        read: () => connection.call('GET /v1/webhooks/{id}', { path, ...options }),
        write: (body, version) =>
          connection.call('PUT /v1/webhooks/{id}', { path, body, ...options, headers: { ...options.headers, ...version } }),
      },
      change,
    );
  }

  /** Its deliveries and their log go with it. */
  async delete(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/webhooks/{id}', { path: { id }, ...options }));
  }

  /** Sends an event once and waits for what comes back. */
  async test(id: string, options: CallOptions = {}): Promise<Answer<WebhookTestAnswer>> {
    return answerOf(await this.connection.call('POST /v1/webhooks/{id}/test', { path: { id }, ...options }));
  }

  async rotateSecret(id: string, options: CallOptions = {}): Promise<Answer<RotatedSecretAnswer>> {
    return answerOf(await this.connection.call('POST /v1/webhooks/{id}/rotate-secret', { path: { id }, ...options }));
  }

  /** Newest first. */
  async deliveries(id: string, { state, cursor, limit, ...options }: DeliveriesOptions = {}): Promise<Page<Delivery>> {
    return pageOf(
      await this.connection.call('GET /v1/webhooks/{id}/deliveries', { path: { id }, query: { state, cursor, limit }, ...options }),
    );
  }

  /** A delivery with its attempts. */
  async delivery(id: string, deliveryId: string, options: CallOptions = {}): Promise<Answer<DeliveryAnswer>> {
    return answerOf(await this.connection.call('GET /v1/webhooks/{id}/deliveries/{deliveryId}', { path: { id, deliveryId }, ...options }));
  }

  /** Delivers an event again, under its identifier. */
  async replay(id: string, deliveryId: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(
      await this.connection.call('POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay', { path: { id, deliveryId }, ...options }),
    );
  }

  /** Delivers again what failed since a time. @returns how many events. */
  async recover(id: string, since: Date | number | string, options: CallOptions = {}): Promise<Answer<number>> {
    const body = { since: since instanceof Date ? since.getTime() : since };
    const { data, ...answer } = answerOf(await this.connection.call('POST /v1/webhooks/{id}/recover', { path: { id }, body, ...options }));
    return { ...answer, data: data.recovered };
  }
}
