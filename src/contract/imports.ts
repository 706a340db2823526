import { z } from 'zod';
import type { RefusedLine } from '../model/record/import.ts';

const count = (description: string) => z.number().int().meta({ description });

/** Refused lines that one answer names; those of a call with more are counted. */
export const maxRefusalsShown = 10_000;

const refusedLineSchema = z
  .object({
    line: count('Number of the line in the body, from 1.'),
    field: z.string().meta({ description: 'The field at fault; empty for the line as a whole.' }),
    reason: z.string().meta({ description: 'What is wrong with it, and what to write instead.' }),
  })
  .meta({ id: 'RefusedLine' }) satisfies z.ZodType<RefusedLine>;

export const importAnswerSchema = z
  .object({
    data: z.object({
      lines: count('Lines that are not empty.'),
      imported: count('Records that are new. They are on record; queries find them within about a second.'),
      already_there: count('Lines whose `request_id` is on record in this organisation, or stands in another line. Nothing was changed.'),
      rejected: count('Lines that cannot be stored.'),
      rejections: z.array(refusedLineSchema).meta({ description: `The rejected lines, at most ${maxRefusalsShown} of them.` }),
      dry_run: z.boolean().meta({ description: 'True: nothing was stored.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'ImportAnswer', description: 'What became of each line.' });

export type ImportItem = z.infer<typeof importAnswerSchema>['data'];

const flagTexts = ['true', 'false'] as const;

export const importParametersSchema = z.object({
  dryRun: z
    .enum(flagTexts, '`dryRun` takes true or false.')
    .optional()
    .meta({ description: '`true`: checks the lines, says what would happen, and stores nothing.' }),
});

/** A body of lines; the items are described by `RequestItem`. */
export const importBodySchema = z.string().meta({
  description:
    'One request a line, as a JSON object with the fields of `RequestItem`. Only `request_id` and `request_created_at` are required.',
});
