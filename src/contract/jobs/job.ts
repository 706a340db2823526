import { z } from 'zod';
import { jobKinds, jobStates } from '../../model/jobs/job.ts';
import { limitMessage, maxLimit, offsetSentence, integer } from '../paging.ts';

const time = (description: string) => z.string().meta({ description, format: 'date-time', example: '2026-01-31T12:00:00.000Z' });
const count = (description: string) => z.int().meta({ description });

export const jobSchema = z
  .strictObject({
    job_id: z.uuid(),
    kind: z.enum(jobKinds).meta({ description: '`property` sets and removes properties; `undo` restores what another job changed.' }),
    state: z.enum(jobStates).meta({
      description:
        '`queued` waits for earlier jobs of the organisation. `cancelled` and `failed` keep what they have changed; it can be undone.',
    }),
    filter: z
      .unknown()
      .meta({ description: 'The filter as it was sent; null for an undo, and when it named a user who was erased since.' }),
    set: z.record(z.string(), z.string()).nullable().meta({ description: 'Properties that are set, null for an undo.' }),
    remove: z.array(z.string()).nullable().meta({ description: 'Properties that are removed, null for an undo.' }),
    undoes: z.uuid().nullable().meta({ description: 'The job that this one undoes.' }),
    undone_by: z.uuid().nullable().meta({ description: 'The undo of this job.' }),
    key_id: z.string().meta({
      description: 'Identifier of the key that ordered the job, or of the person who did in a session of their own; the history names it.',
    }),
    created_at: time('When the job was ordered.'),
    started_at: time('When it started; in the history its changes have this time.').nullable(),
    ended_at: time('When it ended.').nullable(),
    total: count('Requests that the job covers, fixed when it starts; null until then.').nullable(),
    done: count('Of these, those that are done: the sum of the following counts.'),
    changed: count('Requests that the job has changed as it was to.'),
    unchanged: count('Requests that were already as the job wants them.'),
    changed_since: count(
      'Requests of which a property was left alone, because another change of it came later than the job, or than the undone one; their other properties are changed.',
    ),
    refused: count('Requests left alone, because they would have had too many or too long properties.'),
    gone: count('Requests erased or expired meanwhile.'),
    error: z.string().nullable().meta({ description: 'Why the job failed, or why it does not go on at the moment; it is retried then.' }),
  })
  .meta({ id: 'Job', description: 'A change of many requests, with its progress.' });

export type JobItem = z.infer<typeof jobSchema>;

export const jobAnswerSchema = z.object({ data: jobSchema, error: z.null() }).meta({ id: 'JobAnswer' });

export const jobsAnswerSchema = z
  .object({ data: z.array(jobSchema), error: z.null() })
  .meta({ id: 'JobsAnswer', description: 'Jobs of the organisation, newest first.' });

export const jobsPageSchema = z.object({
  limit: integer({ sentence: limitMessage, max: maxLimit, without: 50, description: `Jobs of the page, at most ${maxLimit}.` }),
  offset: integer({ sentence: offsetSentence, max: 1e15, without: 0, description: 'First job of the page, counted from 0.' }),
});
