import { z } from 'zod';
import { webhookEvents } from '../../model/events/event.ts';
import { disabledReasons } from '../../model/events/webhook.ts';
import { propertyLimits } from '../../model/vocabulary/limits.ts';
import { filterSchema } from '../filter.ts';

const bodySentence = 'The body is an object such as {"destination": "https://hooks.example.com/gatelog"}.';
const destinationSentence =
  '`destination` is the address to which events are posted, such as https://hooks.example.com/gatelog, of at most 2048 characters.';
const sampleSentence = '`sampleRate` takes a number from 0 to 100, the percentage of matching requests.';
const eventsSentence = `\`events\` is a list of at least one of ${webhookEvents.join(', ')}, each once.`;
const pairSentence = '`propertyFilters` is a list of at most 100 objects such as {"key": "Environment", "value": "production"}.';
const nameSentence = '`name` takes 1 to 128 characters.';
const maxName = 128;
const maxDestination = 2048;
const maxPropertyFilters = 100;

const propertyFilterSchema = z.object(
  {
    key: z.string(pairSentence).min(1, pairSentence).max(propertyLimits.nameCharacters, pairSentence),
    value: z.string(pairSentence),
  },
  pairSentence,
);

const configSchema = z
  .object(
    {
      filter: filterSchema.optional(),
      propertyFilters: z
        .array(propertyFilterSchema, pairSentence)
        .max(maxPropertyFilters, pairSentence)
        .optional()
        .meta({ description: 'Short form of conditions that must all hold, beside `filter`; each is an exact comparison.' }),
      sampleRate: z.number(sampleSentence).min(0, sampleSentence).max(100, sampleSentence).optional().meta({
        default: 100,
        description: 'Percentage of the matching requests. The same request is always in or out, for every event about it.',
      }),
      events: z
        .array(z.enum(webhookEvents, eventsSentence), eventsSentence)
        .min(1, eventsSentence)
        .max(webhookEvents.length, eventsSentence)
        .refine((events) => new Set(events).size === events.length, eventsSentence)
        .optional()
        .meta({ default: ['request.completed'] }),
    },
    '`config` is an object such as {"sampleRate": 100, "events": ["request.completed"]}.',
  )
  .meta({ id: 'WebhookConfig', description: 'Which events a webhook gets. Filter and sample rate hold for events about requests.' });

export const webhookBodySchema = z
  .object(
    {
      destination: z.string(destinationSentence).min(1, destinationSentence).max(maxDestination, destinationSentence).meta({
        example: 'https://hooks.example.com/gatelog',
        description: 'An https address on the public internet, or one of `GATELOG_TARGET_ALLOWLIST`. Redirects are not followed.',
      }),
      name: z
        .string(nameSentence)
        .trim()
        .min(1, nameSentence)
        .max(maxName, nameSentence)
        .nullable()
        .optional()
        .meta({ description: 'For people, and for files that define webhooks; no two of an organisation have the same.' }),
      config: configSchema.optional(),
      includeData: z
        .boolean('`includeData` takes true or false.')
        .optional()
        .meta({ default: true, description: 'False: events about requests carry neither bodies nor `metadata`.' }),
      enabled: z
        .boolean('`enabled` takes true or false.')
        .optional()
        .meta({ description: 'Absent: true for a new webhook; one that is replaced stays as it is.' }),
    },
    bodySentence,
  )
  .meta({ id: 'WebhookBody', description: 'A webhook. What is absent has its default.' });

const time = (description: string) => z.string().meta({ description, format: 'date-time', example: '2026-01-31T12:00:00.000Z' });
const count = (description: string) => z.int().meta({ description });

const statusSchema = z
  .strictObject({
    state: z.enum(['enabled', 'disabled']),
    disabled_reason: z.enum(disabledReasons).nullable().meta({
      description:
        '`gone`: the destination answered 410. `failing`: it failed for five days. `filter`: its filter could not decide about request after request.',
    }),
    disabled_at: time('When it was disabled.').nullable(),
    pending: count('Deliveries that wait for their next attempt.'),
    failed_in_a_row: count('Attempts that failed since the last success.'),
    failing_since: time('The first of these.').nullable(),
    last_success_at: time('The end of the last attempt that succeeded.').nullable(),
    last_failure_at: time('The end of the last attempt that failed.').nullable(),
    behind_seconds: z.number().meta({ description: 'How far deliveries are behind the stored requests and their schedule.' }),
    pruned: count('Deliveries that the log had, and dropped because of its limits.'),
  })
  .meta({ id: 'WebhookStatus', description: 'State of the deliveries.' });

const shownConfigSchema = z.strictObject({
  filter: z.unknown().meta({ description: 'The whole filter; `propertyFilters` are in it.' }),
  propertyFilters: z
    .array(z.strictObject({ key: z.string(), value: z.string() }))
    .meta({ description: 'Its conditions that have the short form.' }),
  sampleRate: z.number(),
  events: z.array(z.enum(webhookEvents)),
});

const webhookShape = {
  id: z.uuid(),
  created_at: time('When it was created.'),
  changed_at: time('When its definition, state or secret changed last.'),
  destination: z.string(),
  name: z.string().nullable(),
  version: z.string().meta({ description: 'Of the payload.', example: '2024-10-22' }),
  config: shownConfigSchema,
  includeData: z.boolean(),
  status: statusSchema,
};

const secretShape = {
  hmac_key: z.string().meta({ description: 'Key of `Svc-Signature`: 64 hexadecimal digits, used as text.' }),
  secret: z.string().meta({ description: 'The same secret in the form of Standard Webhooks.', example: 'whsec_…' }),
};

const webhookSchema = z.strictObject(webhookShape).meta({ id: 'Webhook', description: 'A webhook. Its secret is not shown.' });

export const webhookAnswerSchema = z.object({ data: webhookSchema, error: z.null() }).meta({ id: 'WebhookAnswer' });
export const webhooksAnswerSchema = z
  .object({ data: z.array(webhookSchema), error: z.null() })
  .meta({ id: 'WebhooksAnswer', description: 'Webhooks of the organisation, oldest first.' });
export const newWebhookAnswerSchema = z
  .object({ data: z.strictObject({ ...webhookShape, ...secretShape }), error: z.null() })
  .meta({ id: 'NewWebhookAnswer', description: 'The webhook with its secret, which is not shown again.' });
export const rotatedSecretAnswerSchema = z
  .object({
    data: z.strictObject({ ...secretShape, previous_signs_until: time('Until then the previous secret signs, too.') }),
    error: z.null(),
  })
  .meta({ id: 'RotatedSecretAnswer', description: 'The new secret, which is not shown again.' });
