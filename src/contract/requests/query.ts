import { z } from '@hono/zod-openapi';
import { costSources } from '../../model/record/request-record.ts';
import { uuidShape } from '../../model/ids.ts';
import { namedSortKeys, sortDirections, sortKeys } from '../../model/vocabulary/sort.ts';
import { filterSchema } from '../filter.ts';
import { maxLimit, limitMessage, offsetSentence } from '../paging.ts';

const cursorSentence = '`cursor` takes the text of the response header svc-next-cursor.';

function flag(name: string, description: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean(`\`${name}\` takes true or false.`).optional().openapi({ description });
}

const direction = { type: 'string', enum: [...sortDirections] } as const;

const sortProperties = {
  ...Object.fromEntries(Object.entries(sortKeys).map(([key, description]) => [key, { ...direction, description }])),
  ...Object.fromEntries(
    Object.entries(namedSortKeys).map(([key, description]) => [
      key,
      { type: 'object', description, additionalProperties: direction } as const,
    ]),
  ),
  random: { type: 'boolean', description: 'True alone: in random order, without a cursor.' },
} as const;

/**
 * Body of a request query. Unknown fields are ignored with a warning, as old clients send extras.
 * `filter` and `sort` are read where their vocabulary is: `query/filter/parse.ts` and `query/requests/sort.ts`.
 */
export const requestQuerySchema = z
  .object(
    {
      // TRICKY: optional for zod alone, so that a missing filter is answered by our sentence below and not by zod's.
      filter: filterSchema.optional(),
      offset: z
        .int(offsetSentence)
        .min(0, offsetSentence)
        .optional()
        .openapi({ description: 'First row of the page, counted from 0.', default: 0 }),
      limit: z
        .int(limitMessage)
        .min(0, limitMessage)
        .max(maxLimit, limitMessage)
        .optional()
        .openapi({ description: `Rows of the page, at most ${maxLimit}.`, default: 10 }),
      sort: z
        .unknown()
        .optional()
        .openapi({
          type: 'object',
          description: 'Sort keys with "asc" or "desc", the first key first. What has no value comes last in both directions.',
          properties: sortProperties,
          additionalProperties: false,
          default: { created_at: 'desc' },
          example: { created_at: 'desc' },
        }),
      cursor: z.string(cursorSentence).optional().openapi({
        description:
          'The response header `svc-next-cursor` of the page before: the page continues exactly behind it, whatever arrived meanwhile, and `offset` is not counted.',
      }),
      isCached: flag('isCached', 'True keeps only answers from the response cache; false changes nothing.'),
      includeInputs: flag('includeInputs', "True adds each request's prompt inputs."),
      includeBodies: flag(
        'includeBodies',
        'False leaves `request_body` and `response_body` null, which is quicker and makes room for more requests.',
      ),
      isPartOfExperiment: flag('isPartOfExperiment', 'True keeps only requests of experiments; false changes nothing.'),
      isScored: flag(
        'isScored',
        'True keeps only requests with a score or feedback; false changes nothing, but on `/v1/request/query`, where it keeps those without.',
      ),
    },
    'The body is a JSON object such as {"filter": "all"}.',
  )
  .superRefine((body, context) => {
    const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message });
    if (body.filter === undefined) refuse('filter', '`filter` is missing; send {"filter": {}} to match every request.');
  })
  .openapi('RequestQuery', { description: 'A query of requests.', required: ['filter'] });

/** A request query as it was read; what is left out is undefined. */
export type RequestQuery = z.output<typeof requestQuerySchema>;

const nullableText = (description: string): z.ZodNullable<z.ZodString> => z.string().nullable().openapi({ description });
const nullableNumber = (description: string): z.ZodNullable<z.ZodNumber> => z.number().nullable().openapi({ description });
const nullableFlag = (description: string): z.ZodNullable<z.ZodBoolean> => z.boolean().nullable().openapi({ description });
const timestamp = (description: string): z.ZodString =>
  z.string().openapi({ description, format: 'date-time', example: '2026-01-31T12:00:00.000Z' });
const nullableTimestamp = (description: string): z.ZodNullable<z.ZodString> => timestamp(description).nullable();

const body = (of: string): z.ZodUnknown =>
  z.unknown().openapi({
    description: `Body of the ${of}: JSON as such, other text as a string, bytes as {"base64", "content_type"}; null when it was not kept or not asked for.`,
  });

const properties = z.record(z.string(), z.string()).openapi({ description: 'Custom properties by name.' });

const attempt = z.object({
  provider: z.string().openapi({ description: 'Provider that was tried.' }),
  status: z.number().openapi({ description: 'Its HTTP status, 0 without a response.' }),
  ms: z.number().openapi({ description: 'Milliseconds that the try took.' }),
  error: z
    .string()
    .optional()
    .openapi({ description: 'Why there was no whole response: provider_unreachable, provider_timeout, provider_broke, client_left.' }),
});

const requestItemShape = z.strictObject({
  request_id: z.string().openapi({ description: 'Identifier, the value of the response header svc-id.' }),
  request_created_at: timestamp('When the request arrived.'),
  request_path: nullableText('Path of the call.'),
  request_referrer: nullableText('Referer header of the call.'),
  request_body: body('request'),
  request_user_id: z.string().openapi({ description: 'User of the application, empty when none was named.' }),
  request_properties: properties,
  request_model: nullableText('Model that the request names.'),
  model_override: nullableText('Value of Svc-Model-Override.'),
  node_id: nullableText('Value of Svc-Node-Id.'),
  job_id: nullableText('Value of Svc-Job-Id.'),
  response_id: nullableText("The provider's identifier of its response."),
  response_created_at: nullableTimestamp('When the response had ended.'),
  response_status: z
    .number()
    .openapi({ description: 'HTTP status of the provider; 499 the client left, 502 the provider broke off, 0 no response.' }),
  response_body: body('response'),
  response_model: nullableText('Model that the response names.'),
  model: z.string().openapi({ description: "The override, else the response's, else the request's model, else `unknown`." }),
  provider: z.string().openapi({ description: 'Provider in upper case.' }),
  target_url: nullableText('Address that was called.'),
  country_code: nullableText('Country of the caller, ISO 3166 alpha-2.'),
  delay_ms: nullableNumber('Same as latency.'),
  latency: nullableNumber('Milliseconds from the request to the end of the response.'),
  time_to_first_token: nullableNumber(
    'Milliseconds from the request to the first byte of the response body, for event streams; null for other replies.',
  ),
  gateway_overhead_ms: nullableNumber(
    'Milliseconds that the gateway spent on the call before it went out, the wait for its body left out: also what `Server-Timing` on its reply says. Passing the reply on is not in it.',
  ),
  prompt_tokens: nullableNumber('All input tokens, cached ones included.'),
  completion_tokens: nullableNumber('All output tokens, reasoning included.'),
  total_tokens: nullableNumber('Input and output tokens together.'),
  reasoning_tokens: nullableNumber('Output tokens spent on reasoning.'),
  usage_raw: z.unknown().openapi({ description: "The provider's usage object as received." }),
  attempts: z.array(attempt).nullable().openapi({
    description: 'The attempts at providers, retries and fallbacks, when there was more than one, else null. The item is of the last.',
  }),
  prompt_cache_read_tokens: nullableNumber('Input tokens read from the cache of the provider.'),
  prompt_cache_write_tokens: nullableNumber('Input tokens written to the cache of the provider.'),
  prompt_audio_tokens: nullableNumber('Audio tokens of the input.'),
  completion_audio_tokens: nullableNumber('Audio tokens of the output.'),
  usage_estimated: z.boolean().openapi({ description: 'True when the counts are estimates, because the provider reported none.' }),
  cost: nullableNumber('Cost in US dollars.'),
  costUSD: nullableNumber('Same as cost.'),
  cost_source: z.enum(costSources).openapi({ description: 'Where the cost comes from.' }),
  properties,
  scores: z.record(z.string(), z.number()).openapi({ description: 'Scores by name.' }),
  assets: z.array(z.string()).openapi({ description: 'Identifiers of assets.' }),
  asset_ids: z.array(z.string()).openapi({ description: 'Same as assets.' }),
  asset_urls: z.record(z.string(), z.string()).nullable().openapi({ description: 'Addresses of assets by identifier.' }),
  prompt_id: nullableText('Value of Svc-Prompt-Id.'),
  prompt_version: nullableText('Value of Svc-Prompt-Version.'),
  inputs: z.record(z.string(), z.string()).nullable().openapi({ description: 'Prompt inputs by name; null unless asked for.' }),
  cache_enabled: z.boolean().openapi({ description: 'Whether the caller enabled the response cache.' }),
  cached: z.boolean().openapi({ description: 'Whether the answer came from the response cache.' }),
  cache_reference_id: nullableText('Identifier of the request whose answer was reused.'),
  threat: nullableFlag('Whether the security check flagged the request.'),
  is_passthrough_billing: nullableFlag('Whether the provider was paid through the gateway.'),
  session_id: nullableText('Session that the request belongs to.'),
  session_name: nullableText('Name of the session.'),
  session_path: nullableText('Place of the request in its session.'),
  organization_id: z.string().openapi({ description: 'Organisation that owns the record.' }),
  helicone_user: z.null().openapi({ description: 'Always null; kept for older clients.' }),
  feedback_created_at: nullableTimestamp('When the feedback was given.'),
  feedback_id: nullableText('Number of the feedback, as text.'),
  feedback_rating: nullableFlag('The feedback: true is good, false is bad.'),
  signed_body_url: nullableText('Address that returns both bodies without a key, for an hour.'),
  llmSchema: z.null().openapi({ description: 'Always null; kept for older clients.' }),
  ai_gateway_body_mapping: z.literal('').openapi({ description: 'Always empty; kept for older clients.' }),
  storage_location: z.string().openapi({ description: 'Where the bodies are; `clickhouse` in this version.' }),
  size_bytes: z.number().openapi({ description: 'Bytes of both bodies as they passed.' }),
  request_body_cut: z.boolean().openapi({ description: 'True when less of the request body is recorded than passed.' }),
  response_body_cut: z.boolean().openapi({ description: 'True when less of the response body is recorded than passed.' }),
  updated_at: timestamp('When the record changed last.'),
});

/**
 * One request as the API shows it. Every key is always there; null is "not known".
 * TRICKY: zod takes a missing key for an unknown value, so by itself the document would not require the bodies.
 */
export const requestItemSchema = requestItemShape.openapi('RequestItem', {
  description: 'One recorded request.',
  required: Object.keys(requestItemShape.shape),
});

/** One request as the API shows it: what {@link requestItemSchema} describes. */
export type RequestItem = z.infer<typeof requestItemSchema>;

/** Answer of a request query. */
export const requestQueryAnswerSchema = z
  .object({ data: z.array(requestItemSchema), error: z.null() })
  .openapi('RequestQueryAnswer', { description: 'A page of requests.' });

/** Answer of a read of one request. */
export const requestAnswerSchema = z
  .object({ data: requestItemSchema, error: z.null() })
  .openapi('RequestAnswer', { description: 'One request.' });

/** Answer of a count. */
export const requestCountSchema = z
  .object({ data: z.int().openapi({ description: 'How many requests match.' }), error: z.null() })
  .openapi('RequestCount', { description: 'A number of requests.' });

const idsSentence = `\`requestIds\` takes a list of at most ${maxLimit} identifiers, each a UUID.`;

/** Body of a read of several requests. */
export const requestIdsSchema = z
  .object(
    {
      requestIds: z
        .array(
          z
            .string(idsSentence)
            .regex(uuidShape, idsSentence)
            .transform((id) => id.toLowerCase()),
          idsSentence,
        )
        .max(maxLimit, idsSentence)
        .openapi({ description: 'Identifiers, the values of the response header svc-id.' }),
    },
    'The body is a JSON object such as {"requestIds": ["…"]}.',
  )
  .openapi('RequestIds', { description: 'Identifiers of requests.' });

/** Both bodies of a request, as a signed address gives them. */
export const requestBodiesSchema = z
  .object({ request: body('request'), response: body('response') })
  .openapi('RequestBodies', { description: 'Both bodies of a request.', required: ['request', 'response'] });
