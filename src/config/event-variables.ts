import { GiB, MiB, type Variable } from './variable.ts';

export const eventVariables = {
  webhookConcurrency: {
    name: 'GATELOG_WEBHOOK_CONCURRENCY',
    kind: 'integer',
    default: '8',
    min: 1,
    max: 64,
    reason:
      'Maximum events sent to one destination of an organisation at once. Over all there are at most 256, of which one organisation has at most half of what the others leave.',
  },
  webhookPendingMax: {
    name: 'GATELOG_WEBHOOK_PENDING_MAX',
    kind: 'integer',
    default: '10000',
    min: 1000,
    max: 1_000_000,
    reason:
      'Maximum deliveries that wait for one webhook. Beyond it the webhook stays behind in the order of storage, and goes on at half of it.',
  },
  webhookLogDays: {
    name: 'GATELOG_WEBHOOK_LOG_DAYS',
    kind: 'integer',
    default: '30',
    min: 1,
    max: 3650,
    reason: 'Days for which the log keeps deliveries of events that have ended.',
  },
  webhookLogMaxBytes: {
    name: 'GATELOG_WEBHOOK_LOG_MAX_BYTES',
    kind: 'bytes',
    default: '1GiB',
    min: 16 * MiB,
    max: 1024 * GiB,
    reason: 'Maximum disk space of deliveries and their log; beyond it the oldest that have ended are dropped.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
