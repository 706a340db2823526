import { z } from 'zod';
import { requestItemSchema } from '../requests/item.ts';
import { sessionItemSchema } from './item.ts';

const maxSessionPage = 1_000;

const limitMessage = `\`limit\` takes a whole number from 1 to ${maxSessionPage}.`;
const bodyMessage = '`includeBody` takes true or false.';

export const sessionPageSchema = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, limitMessage)
    .transform(Number)
    .refine((value) => value >= 1 && value <= maxSessionPage, limitMessage)
    .default(maxSessionPage)
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: maxSessionPage,
      default: maxSessionPage,
      description: `Requests of the answer, at most ${maxSessionPage}.`,
    }),
  cursor: z.string().optional().meta({
    description: 'The response header `svc-next-cursor` of the answer before: the requests continue exactly behind it.',
  }),
  includeBody: z
    .enum(['true', 'false', ''], bodyMessage)
    .default('false')
    .transform((text) => text === 'true')
    .meta({ type: 'string', enum: ['true', 'false'], default: 'false', description: '`true` adds both bodies of each request.' }),
});

/** Totals of a node over its own requests and those of the nodes below. */
const totalsSchema = z
  .strictObject({
    requests: z.number().meta({ description: 'How many requests.' }),
    failed: z.number().meta({ description: 'How many of them failed.' }),
    cost: z.number().meta({ description: 'Their cost in US dollars; 0 where none is known.' }),
    prompt_tokens: z.number().meta({ description: 'Their input tokens.' }),
    completion_tokens: z.number().meta({ description: 'Their output tokens.' }),
    total_tokens: z.number().meta({ description: 'Both.' }),
    avg_latency: z.number().meta({ description: 'Their mean latency in milliseconds; 0 where none has one.' }),
    duration: z.number().meta({ description: 'Milliseconds from the arrival of the first to the end of whichever ended last.' }),
    created_at: z.string().meta({ description: 'When the first of them arrived.', format: 'date-time' }),
  })
  .meta({ id: 'SessionNodeTotals', description: 'Totals over all requests of the session at a node and below it.' });

export type SessionNodeTotals = z.infer<typeof totalsSchema>;

const nodeSchema = z
  .strictObject({
    path: z.string().meta({ description: 'Path of the node, `/` for the root.', example: '/plan/search' }),
    name: z.string().meta({ description: 'Its last segment, `/` for the root.', example: 'search' }),
    request_ids: z.array(z.string()).meta({ description: 'Requests of this answer at the node itself, in time order.' }),
    get children() {
      return z.array(nodeSchema).meta({ description: 'Nodes right below, in the order of their first requests.' });
    },
    totals: totalsSchema,
  })
  .meta({ id: 'SessionNode', description: 'A place in the tree that Svc-Session-Path makes of a session.' });

export interface SessionNode {
  readonly path: string;
  readonly name: string;
  readonly request_ids: string[];
  readonly children: SessionNode[];
  readonly totals: SessionNodeTotals;
}

export const sessionAnswerSchema = z
  .object({
    data: z.strictObject({
      session: sessionItemSchema,
      requests: z
        .array(requestItemSchema)
        .meta({ description: 'Its requests, the oldest first; requests of one millisecond by identifier.' }),
      tree: z.array(nodeSchema).meta({ description: 'The root of the tree.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'SessionAnswer', description: 'One session with its requests.' });
