import { z } from 'zod';

export const doneSchema = z
  .object({ data: z.null(), error: z.null() })
  .meta({ id: 'Done', description: 'The change is durable, and every later read sees it.' });

export const healthSchema = z
  .object({
    status: z.enum(['ok', 'unavailable']).meta({ description: '`unavailable` goes with status 503.' }),
    failing: z.array(z.string()).meta({ description: 'Parts that do not work at the moment.' }),
    degraded: z.array(z.string()).meta({ description: 'What works and is behind, or about to fail.' }),
  })
  .meta({ id: 'Health' });
