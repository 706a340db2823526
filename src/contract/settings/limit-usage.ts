import { z } from 'zod';
import { unpricedSchema } from './unpriced.ts';

const time = (description: string) => z.string().meta({ format: 'date-time', description });

const segmentUseSchema = z
  .object({
    value: z.string().nullable().meta({ description: 'The user, or the value of the property; null: all calls together.' }),
    used: z.number().meta({ description: 'Requests, or US dollars.', minimum: 0 }),
    share: z.number().meta({ description: 'Of the quota; from 1 on the limit is reached.', minimum: 0 }),
  })
  .meta({ id: 'LimitSegmentUse' });

const limitUsageSchema = z
  .object({
    policy: z.string(),
    value: z.string().optional().meta({ description: 'The only user, or value of the property, that it holds for.' }),
    key_id: z.string().nullable(),
    alert_id: z.string().optional().meta({ description: 'The alert rule with `enforce` that the limit belongs to.' }),
    alert_name: z.string().optional(),
    unit: z.enum(['requests', 'usd']),
    quota: z.number().meta({ description: 'Requests, or US dollars.' }),
    from: time('Start of the span that is added up: of the calendar window, or the length of the window before now.'),
    to: time('When the calendar window ends; null of a window that begins with a call.').nullable(),
    fullest: z.array(segmentUseSchema).meta({ description: 'The fullest segments, at most 20, the fullest first; empty without a call.' }),
    unpriced: unpricedSchema
      .nullable()
      .meta({ description: 'In the same span, of a budget; null of others. They are missing in what is used.' }),
  })
  .meta({ id: 'LimitUsage', description: 'How much of a limit is used, by the record.' });

export type LimitUsageItem = z.infer<typeof limitUsageSchema>;

export const limitUsageAnswerSchema = z
  .object({ data: z.array(limitUsageSchema), error: z.null() })
  .meta({ id: 'LimitUsageAnswer', description: 'The limits in their order, each with its fullest segments.' });
