import { z } from 'zod';

const timestamp = (description: string): z.ZodString =>
  z.string().meta({ description: `${description} With the offset of the query.`, example: '2026-01-31T12:00:00.000Z' });
const sum = (description: string): z.ZodNumber => z.number().meta({ description });

const sessionItemShape = z.strictObject({
  session_id: z.string().meta({ description: 'Identifier, the value of Svc-Session-Id.' }),
  session_name: z.string().meta({ description: 'Newest name that is not empty, else empty.' }),
  session_tag: z.string().nullable().meta({ description: 'Tag of the session; null without one.' }),
  created_at: timestamp('When its first request arrived.'),
  latest_request_created_at: timestamp('When its latest request arrived.'),
  last_used: timestamp('Same as latest_request_created_at.'),
  total_cost: sum('Cost of its requests in US dollars; a request without a known cost adds nothing.'),
  total_requests: sum('How many requests it has.'),
  failed: sum('How many of them failed.'),
  prompt_tokens: sum('Input tokens of its requests, 0 where none were reported.'),
  completion_tokens: sum('Output tokens of its requests, 0 where none were reported.'),
  total_tokens: sum('Input and output tokens together.'),
  avg_latency: sum('Average latency in milliseconds over the requests that have one; 0 when none has.'),
  user_ids: z.array(z.string()).meta({ description: 'Users of its requests, each once, in the order of their bytes.' }),
  properties: z
    .record(z.string(), z.string())
    .meta({ description: 'Properties of all its requests together: of each name the newest value.' }),
});

/** One session. Every key is always present. */
export const sessionItemSchema = sessionItemShape.meta({
  id: 'SessionItem',
  description: 'One session: the requests of an organisation with one session identifier.',
});

export type SessionItem = z.infer<typeof sessionItemSchema>;
