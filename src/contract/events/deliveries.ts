import { z } from 'zod';
import { channelTypes } from '../../model/events/channel.ts';
import { eventTypes } from '../../model/events/event.ts';
import { limitMessage, maxLimit, integer } from '../paging.ts';

/** As in `outbox/schema.ts`. */
const shownDeliveryStates = ['pending', 'delivered', 'failed', 'gone'] as const;
const failures = ['exhausted', 'refused', 'disabled', 'filter'] as const;
const outcomes = ['delivered', 'failed', 'refused'] as const;

const time = (description: string) => z.string().meta({ description, format: 'date-time', example: '2026-01-31T12:00:00.000Z' });

const deliveryShape = {
  id: z.string().meta({ description: 'The `webhook-id` of all its attempts.', example: 'msg_019a0000-0000-7000-8000-000000000000' }),
  type: z.enum(eventTypes),
  request_id: z.uuid().nullable().meta({ description: 'Of an event about a request.' }),
  state: z.enum(shownDeliveryStates).meta({
    description:
      '`pending` waits for its next attempt. `gone`: the request was removed before it was delivered. A `failed` one can be replayed.',
  }),
  failure: z.enum(failures).nullable().meta({
    description:
      'Why it failed: `exhausted` after its last attempt, `refused` for good, `disabled` because the webhook was disabled meanwhile, `filter` because the filter of the webhook could not decide about the request: it was not sent.',
  }),
  occurred_at: time('When the event happened.'),
  created_at: time('When the delivery was made.'),
  attempts: z.int().meta({ description: 'Attempts made.' }),
  next_attempt_at: time('Not before then.').nullable(),
  ended_at: time('When it was delivered, or given up.').nullable(),
  last_status: z.int().nullable().meta({ description: 'Status of the last response; null without one.' }),
  last_reason: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
};

const { request_id: _request, ...messageShape } = deliveryShape;

const alertDeliverySchema = z
  .strictObject({
    ...messageShape,
    channel_id: z.string().meta({
      format: 'uuid',
      description: 'Of a webhook that is no channel of the rule, and asks for the events of all rules, the identifier of that webhook.',
    }),
    channel: z.enum(channelTypes).nullable().meta({ description: 'Its type; null: the rule no longer has it.' }),
    webhook_id: z
      .string()
      .nullable()
      .meta({ format: 'uuid', description: 'The one of your webhooks that it goes to, which has its attempts; else null.' }),
    webhook_name: z.string().nullable().meta({ description: 'Its name; null without one.' }),
    test: z.boolean().meta({ description: 'A test message, which somebody asked for: the rule has not fired.' }),
  })
  .meta({ id: 'AlertDelivery', description: 'A message of a rule on its way to a channel, or to a webhook that asks for it.' });
export type AlertDeliveryItem = z.infer<typeof alertDeliverySchema>;

const deliverySchema = z.strictObject(deliveryShape).meta({ id: 'Delivery', description: 'An event on its way to a webhook.' });

const attemptSchema = z
  .strictObject({
    number: z.int().meta({ description: 'From 1.' }),
    started_at: time('When it began.'),
    duration_ms: z.int(),
    outcome: z.enum(outcomes),
    reason: z.string().nullable().meta({ description: 'Why it failed.' }),
    status: z.int().nullable(),
    request_head: z.string().nullable().meta({ description: 'Request line and headers as they were sent.' }),
    response_head: z.string().nullable().meta({ description: 'Status line, headers and the beginning of the body, 4 KiB at most.' }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt of a delivery.' });

const deliveryDetailSchema = z
  .strictObject({
    ...deliveryShape,
    content: z.unknown().meta({ description: '`data` of an event that is not about a request; else null.' }),
    attempt_log: z.array(attemptSchema).meta({ description: 'In their order.' }),
  })
  .meta({ id: 'DeliveryDetail', description: 'A delivery with its attempts.' });

export const deliveriesAnswerSchema = z
  .object({ data: z.array(deliverySchema), error: z.null() })
  .meta({ id: 'DeliveriesAnswer', description: 'Deliveries of a webhook, newest first.' });
export const alertDeliveriesAnswerSchema = z
  .object({ data: z.array(alertDeliverySchema), error: z.null() })
  .meta({ id: 'AlertDeliveriesAnswer', description: 'Messages of a rule, newest first.' });
export const deliveryAnswerSchema = z.object({ data: deliveryDetailSchema, error: z.null() }).meta({ id: 'DeliveryAnswer' });

const stateSentence = `\`state\` is one of ${shownDeliveryStates.join(', ')}.`;
const cursorSentence = '`cursor` is the `svc-next-cursor` of the page before.';

export const deliveriesPageSchema = z.object({
  state: z.enum(shownDeliveryStates, stateSentence).optional().meta({ description: 'Only deliveries in this state.' }),
  cursor: z
    .string(cursorSentence)
    .regex(/^msg_[0-9a-f-]{36}$/, cursorSentence)
    .optional()
    .meta({ description: 'Begins behind the page that had it as `svc-next-cursor`.' }),
  limit: integer({ sentence: limitMessage, max: maxLimit, without: 100, description: 'Maximum deliveries.' }),
});

const sinceSentence = '`since` is a time: ISO 8601 such as "2026-01-31T12:00:00Z", or Unix milliseconds.';

export const recoverBodySchema = z
  .object(
    {
      since: z
        .union([z.string(), z.number()], sinceSentence)
        .transform((since, context) => {
          const at = typeof since === 'number' ? since : Date.parse(since);
          if (Number.isSafeInteger(at) && at >= 0) return at;
          context.addIssue({ code: 'custom', message: sinceSentence });
          return z.NEVER;
        })
        .meta({
          oneOf: [
            { type: 'string', description: 'ISO 8601.' },
            { type: 'number', description: 'Unix milliseconds.' },
          ],
          description: 'Failed deliveries that were made since then are delivered again.',
          example: '2026-01-31T12:00:00Z',
        }),
    },
    'The body is an object such as {"since": "2026-01-31T12:00:00Z"}.',
  )
  .meta({ id: 'RecoverBody' });

export const recoveredAnswerSchema = z
  .object({ data: z.strictObject({ recovered: z.int().meta({ description: 'Deliveries that are made again.' }) }), error: z.null() })
  .meta({ id: 'RecoveredAnswer' });

export const testAnswerSchema = z
  .object({
    data: z.strictObject({
      success: z.boolean(),
      message: z.string().meta({ description: 'What the destination answered, or why there is no answer.' }),
      delivery: deliveryDetailSchema.nullable(),
    }),
    error: z.null(),
  })
  .meta({ id: 'WebhookTestAnswer' });
