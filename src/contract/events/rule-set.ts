import { z } from 'zod';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import { webhookLimits } from '../../model/vocabulary/limits.ts';
import { newAlertSchema } from './alerts.ts';
import { webhookBodySchema } from './webhooks.ts';

const bodySentence =
  'The body is an object such as {"webhooks": [{"name": "ops", "destination": "https://…"}], "alerts": [{"name": "Spend", …}]}.';
const webhooksSentence = `\`webhooks\` is a list of at most ${webhookLimits.webhooks} webhooks, each with a \`name\`.`;
const alertsSentence = `\`alerts\` is a list of at most ${alertLimits.rules} rules, each with a \`name\`.`;
const flag = (name: string) => z.boolean(`\`${name}\` takes true or false.`).optional();

/** Webhooks and rules as a file has them. */
export const ruleSetSchema = z
  .object(
    {
      webhooks: z.array(webhookBodySchema, webhooksSentence).max(webhookLimits.webhooks, webhooksSentence).optional().meta({
        description: 'Each has a `name`, by which it is found again.',
      }),
      alerts: z.array(newAlertSchema, alertsSentence).max(alertLimits.rules, alertsSentence).optional().meta({
        description: 'As `POST /v1/alerts` takes them; a channel may name a webhook of this body.',
      }),
      prune: flag('prune').meta({
        default: false,
        description:
          'Deletes webhooks with a name, and rules, that are not in the body. Rules that Gatelog offered stay while they are off.',
      }),
      dryRun: flag('dryRun').meta({ default: false, description: 'Says what would change, and changes nothing.' }),
    },
    bodySentence,
  )
  .meta({ id: 'RuleSet', description: 'Webhooks and alert rules that an organisation should have, found by their names.' });
export type RuleSet = z.output<typeof ruleSetSchema>;

const setActions = ['create', 'change', 'unchanged', 'delete'] as const;

const changeSchema = z
  .object({
    kind: z.enum(['webhook', 'alert']),
    name: z.string(),
    action: z.enum(setActions),
    id: z.string().nullable().meta({ format: 'uuid', description: 'Null: it is not created yet.' }),
    fields: z
      .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
      .meta({ description: 'What differs; null: not set. Of `channels`, which have secrets, both sides are null.' }),
    secrets: z.array(z.string()).optional().meta({
      description:
        'Secrets that the service chose, in the form of Standard Webhooks: of the webhook, or of the channels. They are not shown again.',
    }),
  })
  .meta({ id: 'RuleSetChange' });
export type RuleSetChange = z.infer<typeof changeSchema>;

export const ruleSetAnswerSchema = z
  .object({
    data: z.object({
      applied: z.boolean().meta({ description: 'False: a dry run, or nothing to change.' }),
      changes: z.array(changeSchema).meta({ description: 'Webhooks, then rules, in the order of the body; what is deleted comes last.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'RuleSetAnswer' });
