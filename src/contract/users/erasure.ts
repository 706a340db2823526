import { z } from 'zod';

const count = (description: string) => z.number().int().meta({ description });

export const erasureAnswerSchema = z
  .object({
    data: z.object({
      user_id: z.string(),
      erased_at: z.string().meta({ description: 'What came from the user up to this time is gone.', format: 'date-time' }),
      requests: count('Requests that were on record, with their history.'),
      bodies: count('Recorded bodies, of a request and of its response each one.'),
      cache_entries: count('Replies that were kept to be given again.'),
      spool_records: count('Records that were on their way to the store and never reached it.'),
      dead_letters: count('Exchanges that could not be interpreted or stored and were kept aside.'),
      blobs: count('Bodies that lay outside of the store; this version keeps none there.'),
    }),
    error: z.null(),
  })
  .meta({ id: 'ErasureAnswer', description: 'What an erasure has removed, by where it was; every count is final.' });
