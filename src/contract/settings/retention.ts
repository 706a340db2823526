import { z } from 'zod';

/** A hundred years. */
const maxRetentionDays = 36_500;

const sentence = `The body is {"days": <number>} with a whole number from 1 to ${maxRetentionDays}, or {"days": null} to keep records without end.`;

export const retentionSchema = z
  .object({ days: z.number(sentence).int(sentence).min(1, sentence).max(maxRetentionDays, sentence).nullable() }, sentence)
  .meta({ id: 'Retention', description: 'Days for which records are kept; null: without end.' });

const days = z.number().int().nullable();

export const retentionAnswerSchema = z
  .object({
    data: z.object({
      days: days.meta({ description: "The organisation's own; null: none." }),
      deployment_days: days.meta({ description: "The deployment's, which holds for all organisations; null: none." }),
      effective_days: days.meta({ description: 'The shorter of both, which holds; null: records are kept without end.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'RetentionAnswer', description: 'How long records are kept, in days.' });
