import { z } from 'zod';

const flagSentence = '`includeBodies` is true or false.';

/** Parameters of the live stream. `query/stream/plan.ts` parses filter and cursor. */
export const streamParametersSchema = z.object({
  filter: z.string().optional().meta({
    description: 'A filter as URL-encoded JSON; without it every request.',
    example: '{"response":{"status":{"gte":400}}}',
  }),
  includeBodies: z.enum(['true', 'false'], flagSentence).optional().meta({ description: '`true` adds both bodies of each request.' }),
  cursor: z.string().optional().meta({
    description: 'Continues after this position, the `id` of an event, as the header `Last-Event-ID` does, which takes precedence.',
    example: '1790000000000000',
  }),
});

/** The header by which a client goes on after its connection was lost. */
export const streamHeadersSchema = z.object({
  'Last-Event-ID': z.string().optional().meta({
    description:
      'The `id` of the last event that came; what was stored behind it is sent first. Clients for server-sent events send it by themselves.',
  }),
});
