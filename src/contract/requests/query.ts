import { z } from 'zod';
import { uuidShape } from '../../model/ids.ts';
import { namedSortKeys, sortDirections, sortKeys } from '../../model/vocabulary/sort.ts';
import { filterSchema } from '../filter.ts';
import { bodySchema, requestItemSchema } from './item.ts';
import { maxLimit, limitMessage, offsetSentence } from '../paging.ts';

const cursorSentence = '`cursor` takes the text of the response header svc-next-cursor.';

function flag(name: string, description: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean(`\`${name}\` takes true or false.`).optional().meta({ description });
}

const includeBodies = flag(
  'includeBodies',
  'False leaves `request_body` and `response_body` null, which is quicker and makes room for more requests.',
);

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

/** The body of a request query. `query/filter/parse.ts` and `query/requests/sort.ts` parse `filter` and `sort`. */
export const requestQuerySchema = z
  .object(
    {
      // TRICKY: optional for zod alone, so that our sentence below reports a missing filter, not zod's.
      filter: filterSchema.optional(),
      offset: z
        .int(offsetSentence)
        .min(0, offsetSentence)
        .optional()
        .meta({ description: 'First row of the page, counted from 0.', default: 0 }),
      limit: z
        .int(limitMessage)
        .min(0, limitMessage)
        .max(maxLimit, limitMessage)
        .optional()
        .meta({ description: `Rows of the page, at most ${maxLimit}.`, default: 10 }),
      sort: z
        .unknown()
        .optional()
        .meta({
          type: 'object',
          description: 'Sort keys with "asc" or "desc", the first key first. What has no value comes last in both directions.',
          properties: sortProperties,
          additionalProperties: false,
          default: { created_at: 'desc' },
          example: { created_at: 'desc' },
        }),
      cursor: z.string(cursorSentence).optional().meta({
        description:
          'The response header `svc-next-cursor` of the page before: the page continues exactly behind it, whatever arrived meanwhile, and `offset` is not counted.',
      }),
      isCached: flag('isCached', 'True keeps only answers from the response cache; false changes nothing.'),
      includeInputs: flag('includeInputs', "True adds each request's prompt inputs."),
      includeBodies,
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
  .meta({ id: 'RequestQuery', description: 'A query of requests.', required: ['filter'] });

/** A parsed request query; omitted fields are undefined. */
export type RequestQuery = z.output<typeof requestQuerySchema>;

export const requestQueryAnswerSchema = z
  .object({ data: z.array(requestItemSchema), error: z.null() })
  .meta({ id: 'RequestQueryAnswer', description: 'A page of requests.' });

export const requestAnswerSchema = z
  .object({ data: requestItemSchema, error: z.null() })
  .meta({ id: 'RequestAnswer', description: 'One request.' });

export const requestCountSchema = z
  .object({ data: z.int().meta({ description: 'How many requests match.' }), error: z.null() })
  .meta({ id: 'RequestCount', description: 'A number of requests.' });

const idsSentence = `\`requestIds\` takes a list of at most ${maxLimit} identifiers, each a UUID.`;

export const requestIdsSchema = z
  .object(
    {
      requestIds: z
        .array(
          z
            .string(idsSentence)
            .regex(uuidShape, idsSentence)
            .transform((id) => id.toLowerCase())
            // The flag of the expression cannot be written in a document.
            .meta({ type: 'string', format: 'uuid', pattern: '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
          idsSentence,
        )
        .max(maxLimit, idsSentence)
        .meta({ description: 'Identifiers, the values of the response header svc-id.' }),
      includeBodies,
    },
    'The body is a JSON object such as {"requestIds": ["…"]}.',
  )
  .meta({ id: 'RequestIds', description: 'Identifiers of requests.' });

/** The bodies of a request, as a signed address returns them. */
export const requestBodiesSchema = z
  .object({ request: bodySchema('request'), response: bodySchema('response') })
  .meta({ id: 'RequestBodies', description: 'Both bodies of a request.', required: ['request', 'response'] });
