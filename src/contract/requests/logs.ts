import { z } from 'zod';

const timeSchema = z.union([z.object({ seconds: z.number(), milliseconds: z.number().optional() }), z.string(), z.number()]).meta({
  id: 'LogTime',
  description: 'Unix seconds and milliseconds beside them, ISO 8601, or Unix milliseconds; a number below 4102444800 is Unix seconds.',
});

const text = (description: string) => z.string().meta({ description });

/** Shown only: `src/intake/logs/read-log.ts` reads the body, on both listeners. */
export const logSchema = z
  .object({
    providerRequest: z.object({
      url: text('The address of the call; `custom-model-nopath` where there is none.'),
      json: z.unknown().meta({ description: 'The body of the request.' }),
      meta: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
        .optional()
        .meta({ description: 'Tagging headers, such as `Svc-Property-Team` or `Helicone-User-Id`, as for a call through the gateway.' }),
    }),
    providerResponse: z.object({
      json: z.unknown().optional().meta({ description: 'The body of the response.' }),
      textBody: text('The text of the response instead: of a stream as it came, or its events as JSON by line.').optional(),
      status: z
        .number()
        .int()
        .meta({ description: 'The HTTP status; Helicone’s -3 means that the client left, other negative ones no response.' }),
      headers: z.record(z.string(), z.string()).optional(),
      cost: z.number().optional().meta({ description: 'US dollars, where the sender knows them.' }),
    }),
    timing: z
      .object({
        startTime: timeSchema,
        endTime: timeSchema,
        timeToFirstToken: z.number().optional().meta({ description: 'Milliseconds since the start.' }),
      })
      .optional()
      .meta({ description: 'Absent: the call was now, and its latency is not known.' }),
    provider: text('The provider by its name in records, where the address does not tell it, such as `OPENAI`.').optional(),
  })
  .meta({ id: 'Log', description: 'A call that did not pass through the gateway.' });

export const logAnswerSchema = z
  .object({
    data: z.object({
      request_id: text('Identifier of the request: that of `Svc-Request-Id`, else a fresh one. `svc-id` has it too.'),
    }),
    error: z.null(),
  })
  .meta({ id: 'LogAnswer', description: 'The call is durable.' });
