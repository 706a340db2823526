/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Delivery, DeliveryAnswer, NewWebhookAnswer, RecoverBody, RecoveredAnswer, RotatedSecretAnswer, Webhook, WebhookAnswer, WebhookBody, WebhookTestAnswer } from '../types/webhooks.ts';
import type { Done } from '../types/requests.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface WebhooksEndpoints {
  readonly 'POST /v1/webhooks': {
    readonly body: WebhookBody;
    readonly data: NewWebhookAnswer;
  };
  readonly 'GET /v1/webhooks': {
    readonly data: readonly Webhook[];
  };
  readonly 'GET /v1/webhooks/{id}': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly data: WebhookAnswer;
  };
  readonly 'PUT /v1/webhooks/{id}': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly body: WebhookBody;
    readonly data: WebhookAnswer;
  };
  readonly 'DELETE /v1/webhooks/{id}': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly data: Done;
  };
  readonly 'POST /v1/webhooks/{id}/test': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly data: WebhookTestAnswer;
  };
  readonly 'POST /v1/webhooks/{id}/rotate-secret': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly data: RotatedSecretAnswer;
  };
  readonly 'GET /v1/webhooks/{id}/deliveries': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly query?: {
      /** Only deliveries in this state. */
      readonly state?: 'pending' | 'delivered' | 'failed' | 'gone' | undefined;
      /** Begins behind the page that had it as `svc-next-cursor`. */
      readonly cursor?: string | undefined;
      /** Maximum deliveries. */
      readonly limit?: number | undefined;
    };
    readonly data: readonly Delivery[];
  };
  readonly 'GET /v1/webhooks/{id}/deliveries/{deliveryId}': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
      /** Identifier of the delivery, its `webhook-id`. */
      readonly deliveryId: string;
    };
    readonly data: DeliveryAnswer;
  };
  readonly 'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
      /** Identifier of the delivery, its `webhook-id`. */
      readonly deliveryId: string;
    };
    readonly data: Done;
  };
  readonly 'POST /v1/webhooks/{id}/recover': {
    readonly path: {
      /** Identifier of the webhook, as the list shows it. */
      readonly id: string;
    };
    readonly body: RecoverBody;
    readonly data: RecoveredAnswer;
  };
}
