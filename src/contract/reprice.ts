import { z } from 'zod';
import { filterSchema } from './filter.ts';
import { maxLimit } from './paging.ts';

const limitMessage = `\`limit\` takes a whole number from 1 to ${maxLimit}.`;
const dateSentence = 'takes an ISO 8601 time or a date, UTC, such as "2026-01-31".';
const dryRunSentence = '`dryRun` takes true or false.';
const cursorSentence = '`cursor` takes the `cursor` of the answer before.';
const bodyMessage = 'The body is an object such as {"filter": "all", "dryRun": true}.';

export const repriceSchema = z
  .object(
    {
      filter: filterSchema.optional(),
      startDate: z
        .string(`\`startDate\` ${dateSentence}`)
        .optional()
        .meta({ description: 'Requests that arrived then or later; a date is its beginning, UTC.', example: '2026-01-01' }),
      endDate: z
        .string(`\`endDate\` ${dateSentence}`)
        .optional()
        .meta({ description: 'Requests that arrived then or earlier; a date is its end, UTC.', example: '2026-01-31' }),
      dryRun: z.boolean(dryRunSentence).optional().meta({ description: 'True: nothing is written.', default: false }),
      limit: z
        .int(limitMessage)
        .min(1, limitMessage)
        .max(maxLimit, limitMessage)
        .optional()
        .meta({ description: `Requests of this call, at most ${maxLimit}.`, default: maxLimit }),
      cursor: z
        .string(cursorSentence)
        .optional()
        .meta({ description: 'Continues after the call that answered with it, with the same filter and dates.' }),
    },
    bodyMessage,
  )
  .refine(({ filter }) => filter !== undefined, { path: ['filter'], error: '`filter` is required; "all" reprices every request.' })
  .meta({ id: 'Reprice', description: 'Which requests are repriced.' });

const difference = {
  changed: z.int().meta({ description: 'Requests whose cost changes.' }),
  before: z.number().meta({ description: 'What these cost before, US dollars; what was not known adds nothing.' }),
  after: z.number().meta({ description: 'What they cost now.' }),
} as const;

export const repriceAnswerSchema = z
  .object({
    data: z
      .strictObject({
        total: z
          .int()
          .nullable()
          .meta({ description: 'Requests that the filter and dates match, in the first call; null in those that go on.' }),
        checked: z.int().meta({ description: 'Requests that this call has looked at.' }),
        stated: z.int().meta({
          description: 'Of these, those whose cost stands: the caller or the provider stated it, or they were answered from the cache.',
        }),
        ...difference,
        by_model: z.array(z.strictObject({ model: z.string(), ...difference })),
        cursor: z.string().nullable().meta({ description: 'Send it to go on; null: this was all.' }),
      })
      .meta({ id: 'RepriceReport', description: 'What repricing changes, for the requests of this call.' }),
    error: z.null(),
  })
  .meta({ id: 'RepriceAnswer' });

export type RepriceItem = z.infer<typeof repriceAnswerSchema>['data'];
