import { z } from 'zod';

export const unpricedSchema = z
  .object({
    requests: z.int().meta({ description: 'As the metric `unpriced_count` counts them.', minimum: 0 }),
    models: z
      .array(z.object({ model: z.string().nullable(), requests: z.int().meta({ minimum: 1 }) }))
      .meta({ description: 'The models of most of them, at most five; null: the request names none.' }),
  })
  .meta({ id: 'UnpricedRequests', description: 'Requests whose cost nobody knows: a sum of costs is too low by what they cost.' });

export type UnpricedRequests = z.infer<typeof unpricedSchema>;
