import { z } from '@hono/zod-openapi';

export const doneSchema = z
  .object({ data: z.null(), error: z.null() })
  .openapi('Done', { description: 'The change is durable, and every later read sees it.' });

export const healthSchema = z
  .object({
    status: z.enum(['ok', 'unavailable']).openapi({ description: '`unavailable` goes with status 503.' }),
    failing: z.array(z.string()).openapi({ description: 'Parts that do not work at the moment.' }),
    degraded: z.array(z.string()).openapi({ description: 'What works and is behind, or about to fail.' }),
  })
  .openapi('Health');
