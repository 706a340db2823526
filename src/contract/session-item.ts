import { z } from '@hono/zod-openapi';

const timestamp = (description: string): z.ZodString =>
  z.string().openapi({ description, format: 'date-time', example: '2026-01-31T12:00:00.000Z' });
const total = (description: string): z.ZodNumber => z.number().openapi({ description });

/** One session as the API shows it. Every key is always there. */
export const sessionItemSchema = z
  .strictObject({
    session_id: z.string().openapi({ description: 'Identifier, the value of Svc-Session-Id.' }),
    session_name: z.string().openapi({ description: 'Its newest name that is not empty, else empty.' }),
    created_at: timestamp('When its first request arrived.'),
    latest_request_created_at: timestamp('When its latest request arrived.'),
    last_used: timestamp('Same as latest_request_created_at.'),
    total_cost: total('Cost of its requests in US dollars; 0 where none is known.'),
    total_requests: total('How many requests it has.'),
    prompt_tokens: total('Input tokens of its requests; 0 where none were reported.'),
    completion_tokens: total('Output tokens of its requests; 0 where none were reported.'),
    total_tokens: total('Input and output tokens of its requests.'),
    avg_latency: total('Mean latency in milliseconds of its requests that have one; 0 where none has.'),
    user_ids: z.array(z.string()).openapi({ description: 'Users of its requests, sorted.' }),
    properties: z.record(z.string(), z.string()).openapi({ description: 'Properties of its requests: of each name the newest value.' }),
    session_tag: z.string().nullable().openapi({ description: 'Its tag, null when it has none.' }),
  })
  .openapi('SessionItem', { description: 'One session: all requests of the organisation with one session identifier.' });

/** One session as the API shows it: what {@link sessionItemSchema} describes. */
export type SessionItem = z.infer<typeof sessionItemSchema>;
