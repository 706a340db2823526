import { z } from 'zod';
import { maxFilterValue } from '../../model/vocabulary/limits.ts';
import { sessionSortKeys, sortDirections } from '../../model/vocabulary/sort.ts';
import { filterSchema } from '../filter.ts';
import { limitMessage, maxLimit, offsetSentence } from '../paging.ts';
import { timeBounds, timeFilterOf, timezoneDifferenceSentence } from '../time-range.ts';
import { sessionItemSchema } from './item.ts';

const cursorSentence = '`cursor` takes the text of the response header svc-next-cursor.';
const bodyMessage = 'The body is a JSON object such as {"filter": "all"}; {} asks for every session.';

function text(name: string, description: string) {
  return z
    .string(`\`${name}\` takes a string.`)
    .max(maxFilterValue, `\`${name}\` has at most ${maxFilterValue} characters.`)
    .optional()
    .meta({ description });
}

const timezone = z
  .number(timezoneDifferenceSentence)
  .min(-1440, timezoneDifferenceSentence)
  .max(1440, timezoneDifferenceSentence)
  .optional()
  .meta({
    description:
      'Offset in which the timestamps of the answer are written: up to 24 it is hours, fractions allowed, above that minutes. It changes nothing else.',
    default: 0,
  });

/** Fields of every session query: the time range and the sessions in it. */
const asked = {
  ...timeBounds,
  timeFilter: timeFilterOf(timeBounds),
  timezoneDifference: timezone,
  filter: filterSchema.optional(),
};

const sortProperties = Object.fromEntries(
  Object.entries(sessionSortKeys).map(([key, description]) => [key, { type: 'string' as const, enum: [...sortDirections], description }]),
);

/** The body of a session query. `query/filter/parse.ts` and `query/sessions/order.ts` parse `filter` and `sort`. */
export const sessionQuerySchema = z
  .object(
    {
      ...asked,
      search: text('search', 'Part of the identifier or the name of the session, in any case; empty: no search.'),
      nameEquals: text('nameEquals', 'The whole name of the session.'),
      offset: z
        .int(offsetSentence)
        .min(0, offsetSentence)
        .optional()
        .meta({ description: 'First session of the page, counted from 0.', default: 0 }),
      limit: z
        .int(limitMessage)
        .min(0, limitMessage)
        .max(maxLimit, limitMessage)
        .optional()
        .meta({ description: `Sessions of the page, at most ${maxLimit}.`, default: 50 }),
      sort: z
        .unknown()
        .optional()
        .meta({
          type: 'object',
          description:
            'Sort keys with "asc" or "desc", the first key first; over the requests that match. Of equal sessions the latest comes first, then the lesser identifier.',
          properties: sortProperties,
          additionalProperties: false,
          default: { created_at: 'desc' },
          example: { total_cost: 'desc' },
        }),
      cursor: z.string(cursorSentence).optional().meta({
        description: 'The response header `svc-next-cursor` of the page before: the page continues behind it, and `offset` is not counted.',
      }),
    },
    bodyMessage,
  )
  .meta({ id: 'SessionQuery', description: 'A query of sessions.' });

/** A parsed session query; omitted fields are undefined. */
export type SessionQuery = z.output<typeof sessionQuerySchema>;

/** Shares of the smallest values that a histogram shows. */
export const tailSizes = ['p50', 'p75', 'p95', 'p99', 'p99.9'] as const;

export const sessionNameQuerySchema = z
  .object(
    {
      ...asked,
      nameContains: text('nameContains', 'Part of the name of the session, in any case; empty: every session.'),
      pSize: z
        .enum(tailSizes, `\`pSize\` takes one of ${tailSizes.join(', ')}.`)
        .optional()
        .meta({ description: 'The share of the smallest values that a histogram shows.', default: 'p75' }),
      useInterquartile: z.boolean('`useInterquartile` takes true or false.').optional().meta({
        description:
          'True: a histogram shows the values that are at most one and a half times the distance of the quartiles away from them, instead of the share of pSize.',
        default: false,
      }),
    },
    bodyMessage,
  )
  .meta({ id: 'SessionNameQuery', description: 'A question about sessions by their names.' });

/** A parsed query of session names; omitted fields are undefined. */
export type SessionNameQuery = z.output<typeof sessionNameQuerySchema>;

export const sessionQueryAnswerSchema = z
  .object({ data: z.array(sessionItemSchema), error: z.null() })
  .meta({ id: 'SessionQueryAnswer', description: 'A page of sessions.' });

const number = (description: string): z.ZodNumber => z.number().meta({ description });

const sessionTotals = z.object({
  count: number('How many sessions match.'),
  total_cost: number('Cost of their requests in US dollars.'),
  avg_cost: number('Cost of a session on average; 0 without sessions.'),
  avg_latency: number('Latency of a request on average, milliseconds; 0 when none has one.'),
  avg_requests: number('Requests of a session on average; 0 without sessions.'),
});

export type SessionTotals = z.infer<typeof sessionTotals>;

export const sessionCountSchema = z
  .object({ data: sessionTotals, error: z.null() })
  .meta({ id: 'SessionCount', description: 'A number of sessions, with their totals.' });

const moment = (description: string): z.ZodString => z.string().meta({ description, example: '2026-01-31T12:00:00.000Z' });

const sessionName = z
  .object({
    name: z.string().meta({ description: 'Name of the sessions; empty for those without one.' }),
    created_at: moment('When the first of their requests arrived.'),
    first_used: moment('Same as created_at.'),
    last_used: moment('When the latest of their requests arrived.'),
    session_count: number('How many sessions have the name.'),
    avg_latency: number('Latency of a request on average, milliseconds; 0 when none has one.'),
  })
  .meta({ id: 'SessionName', description: 'Sessions that have one name.' });

export type SessionNameItem = z.infer<typeof sessionName>;

export const sessionNamesSchema = z
  .object({ data: z.array(sessionName), error: z.null() })
  .meta({ id: 'SessionNames', description: 'At most 50 names of sessions, the one used last first.' });

const bucket = z
  .object({
    range_start: number('Least value of the range, inclusive.'),
    range_end: number('Greatest value of the range, inclusive in the last one alone.'),
    value: number('How many sessions are in it.'),
  })
  .meta({ id: 'SessionBucket', description: 'One range of a histogram.' });

const histogram = (of: string) =>
  z.array(bucket).meta({ description: `Histogram of ${of}: ten ranges of one width, one where all values are equal.` });
const average = (of: string) =>
  z
    .array(z.object({ average: number('Over all sessions that match; 0 without any.') }))
    .meta({ description: `Average of ${of}, one element.` });

const sessionMetrics = z.object({
  session_count: histogram('the requests of a session'),
  session_duration: histogram('the milliseconds from the first to the latest request of a session'),
  session_cost: histogram('the cost of a session in US dollars'),
  average: z.object({
    session_count: average('the requests of a session'),
    session_duration: average('the milliseconds from the first to the latest request of a session'),
    session_cost: average('the cost of a session in US dollars'),
  }),
});

export type SessionMetrics = z.infer<typeof sessionMetrics>;

export const sessionMetricsSchema = z
  .object({ data: sessionMetrics, error: z.null() })
  .meta({ id: 'SessionMetrics', description: 'How the sessions that match are spread.' });
