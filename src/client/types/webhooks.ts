/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';

/** A webhook. What is absent has its default. */
export interface WebhookBody {
  /** An https address on the public internet, or one of `GATELOG_TARGET_ALLOWLIST`. Redirects are not followed. */
  readonly destination: string;
  /** For people, and for files that define webhooks; no two of an organisation have the same. */
  readonly name?: string | null | undefined;
  readonly config?: WebhookConfig | undefined;
  /** False: events about requests carry neither bodies nor `metadata`. */
  readonly includeData?: boolean | undefined;
  /** Absent: true for a new webhook; one that is replaced stays as it is. */
  readonly enabled?: boolean | undefined;
}

/** Which events a webhook gets. Filter and sample rate hold for events about requests. */
export interface WebhookConfig {
  readonly filter?: Filter | undefined;
  /** Short form of conditions that must all hold, beside `filter`; each is an exact comparison. */
  readonly propertyFilters?: readonly {
    readonly key: string;
    readonly value: string;
  }[] | undefined;
  /** Percentage of the matching requests. The same request is always in or out, for every event about it. */
  readonly sampleRate?: number | undefined;
  readonly events?: readonly ('request.completed' | 'request.updated' | 'alert.triggered' | 'alert.resolved')[] | undefined;
}

/** The webhook with its secret, which is not shown again. */
export interface NewWebhookAnswer {
  readonly id: string;
  /** When it was created. */
  readonly created_at: string;
  /** When its definition, state or secret changed last. */
  readonly changed_at: string;
  readonly destination: string;
  readonly name: string | null;
  /** Of the payload. */
  readonly version: string;
  readonly config: {
    /** The whole filter; `propertyFilters` are in it. */
    readonly filter?: unknown;
    /** Its conditions that have the short form. */
    readonly propertyFilters: readonly {
      readonly key: string;
      readonly value: string;
    }[];
    readonly sampleRate: number;
    readonly events: readonly ('request.completed' | 'request.updated' | 'alert.triggered' | 'alert.resolved')[];
  };
  readonly includeData: boolean;
  readonly status: WebhookStatus;
  /** Key of `Svc-Signature`: 64 hexadecimal digits, used as text. */
  readonly hmac_key: string;
  /** The same secret in the form of Standard Webhooks. */
  readonly secret: string;
}

/** How deliveries go. */
export interface WebhookStatus {
  readonly state: 'enabled' | 'disabled';
  /** `gone`: the destination answered 410. `failing`: it failed for five days. `filter`: its filter could not decide about request after request. */
  readonly disabled_reason: 'by_owner' | 'gone' | 'failing' | 'filter' | null;
  /** When it was disabled. */
  readonly disabled_at: string | null;
  /** Deliveries that wait for their next attempt. */
  readonly pending: number;
  /** Attempts that failed since the last success. */
  readonly failed_in_a_row: number;
  /** The first of these. */
  readonly failing_since: string | null;
  /** The end of the last attempt that succeeded. */
  readonly last_success_at: string | null;
  /** The end of the last attempt that failed. */
  readonly last_failure_at: string | null;
  /** How far deliveries are behind the stored requests and their schedule. */
  readonly behind_seconds: number;
  /** Deliveries that the log had, and dropped because of its limits. */
  readonly pruned: number;
}

/** A webhook. Its secret is not shown. */
export interface Webhook {
  readonly id: string;
  /** When it was created. */
  readonly created_at: string;
  /** When its definition, state or secret changed last. */
  readonly changed_at: string;
  readonly destination: string;
  readonly name: string | null;
  /** Of the payload. */
  readonly version: string;
  readonly config: {
    /** The whole filter; `propertyFilters` are in it. */
    readonly filter?: unknown;
    /** Its conditions that have the short form. */
    readonly propertyFilters: readonly {
      readonly key: string;
      readonly value: string;
    }[];
    readonly sampleRate: number;
    readonly events: readonly ('request.completed' | 'request.updated' | 'alert.triggered' | 'alert.resolved')[];
  };
  readonly includeData: boolean;
  readonly status: WebhookStatus;
}

export type WebhookAnswer = Webhook;

export interface WebhookTestAnswer {
  readonly success: boolean;
  /** What the destination answered, or why there is no answer. */
  readonly message: string;
  readonly delivery: DeliveryDetail;
}

/** A delivery with its attempts. */
export type DeliveryDetail = {
  /** The `webhook-id` of all its attempts. */
  readonly id: string;
  readonly type: 'request.completed' | 'request.updated' | 'alert.triggered' | 'alert.resolved' | 'webhook.test' | 'webhook.exhausted' | 'webhook.disabled';
  /** Of an event about a request. */
  readonly request_id: string | null;
  /** `pending` waits for its next attempt. `gone`: the request was removed before it was delivered. A `failed` one can be replayed. */
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone';
  /** Why it failed: `exhausted` after its last attempt, `refused` for good, `disabled` because the webhook was disabled meanwhile, `filter` because the filter of the webhook could not decide about the request: it was not sent. */
  readonly failure: 'exhausted' | 'refused' | 'disabled' | 'filter' | null;
  /** When the event happened. */
  readonly occurred_at: string;
  /** When the delivery was made. */
  readonly created_at: string;
  /** Attempts made. */
  readonly attempts: number;
  /** Not before then. */
  readonly next_attempt_at: string | null;
  /** When it was delivered, or given up. */
  readonly ended_at: string | null;
  /** Status of the last response; null without one. */
  readonly last_status: number | null;
  /** Why the last attempt failed. */
  readonly last_reason: string | null;
  /** `data` of an event that is not about a request; else null. */
  readonly content?: unknown;
  /** In their order. */
  readonly attempt_log: readonly DeliveryAttempt[];
} | null;

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  /** From 1. */
  readonly number: number;
  /** When it began. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly outcome: 'delivered' | 'failed' | 'refused';
  /** Why it failed. */
  readonly reason: string | null;
  readonly status: number | null;
  /** Request line and headers as they were sent. */
  readonly request_head: string | null;
  /** Status line, headers and the beginning of the body, 4 KiB at most. */
  readonly response_head: string | null;
}

/** The new secret, which is not shown again. */
export interface RotatedSecretAnswer {
  /** Key of `Svc-Signature`: 64 hexadecimal digits, used as text. */
  readonly hmac_key: string;
  /** The same secret in the form of Standard Webhooks. */
  readonly secret: string;
  /** Until then the previous secret signs, too. */
  readonly previous_signs_until: string;
}

/** An event on its way to a webhook. */
export interface Delivery {
  /** The `webhook-id` of all its attempts. */
  readonly id: string;
  readonly type: 'request.completed' | 'request.updated' | 'alert.triggered' | 'alert.resolved' | 'webhook.test' | 'webhook.exhausted' | 'webhook.disabled';
  /** Of an event about a request. */
  readonly request_id: string | null;
  /** `pending` waits for its next attempt. `gone`: the request was removed before it was delivered. A `failed` one can be replayed. */
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone';
  /** Why it failed: `exhausted` after its last attempt, `refused` for good, `disabled` because the webhook was disabled meanwhile, `filter` because the filter of the webhook could not decide about the request: it was not sent. */
  readonly failure: 'exhausted' | 'refused' | 'disabled' | 'filter' | null;
  /** When the event happened. */
  readonly occurred_at: string;
  /** When the delivery was made. */
  readonly created_at: string;
  /** Attempts made. */
  readonly attempts: number;
  /** Not before then. */
  readonly next_attempt_at: string | null;
  /** When it was delivered, or given up. */
  readonly ended_at: string | null;
  /** Status of the last response; null without one. */
  readonly last_status: number | null;
  /** Why the last attempt failed. */
  readonly last_reason: string | null;
}

export type DeliveryAnswer = DeliveryDetail;

export interface RecoverBody {
  /** Failed deliveries that were made since then are delivered again. */
  readonly since: string | number;
}

export interface RecoveredAnswer {
  /** Deliveries that are made again. */
  readonly recovered: number;
}
