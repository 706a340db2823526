import { z } from 'zod';
import { sortDirections, userSortKeys } from '../../model/vocabulary/sort.ts';
import { userFilterSchema } from '../filter.ts';
import { limitMessage, maxLimit, offsetSentence } from '../paging.ts';
import { tailSizes } from '../sessions/query.ts';

const timeFilterSentence = '`timeFilter` takes an object such as {"startTimeUnixSeconds": 1767225600, "endTimeUnixSeconds": 1769904000}.';
const zoneSentence = '`timeZoneDifferenceMinutes` takes a number of minutes from -1440 to 1440, negative west of UTC.';
const bodyMessage = 'The body is a JSON object such as {"filter": "all"}; {} asks for every user.';

function bound(name: string, description: string) {
  return z.number(`\`${name}\` takes Unix seconds as a number.`).optional().meta({ description });
}

const timeFilter = z
  .looseObject(
    {
      startTimeUnixSeconds: bound('startTimeUnixSeconds', 'Start of the range, Unix seconds, inclusive.'),
      endTimeUnixSeconds: bound('endTimeUnixSeconds', 'End of the range, Unix seconds, inclusive.'),
    },
    timeFilterSentence,
  )
  .optional()
  .meta({ description: 'The range of arrival times; without it, all time.' });

const filter = userFilterSchema.optional();

const direction = { type: 'string' as const, enum: [...sortDirections] };

export const userMetricsQuerySchema = z
  .object(
    {
      filter,
      timeFilter,
      timeZoneDifferenceMinutes: z.number(zoneSentence).int(zoneSentence).min(-1440, zoneSentence).max(1440, zoneSentence).optional().meta({
        description: 'Where a day of activity begins: minutes from UTC, negative west of it.',
        default: 0,
      }),
      sort: z
        .unknown()
        .optional()
        .meta({
          type: 'object',
          description: 'Sort keys with "asc" or "desc", the first key first; then the identifier. Without it the latest active first.',
          properties: Object.fromEntries(userSortKeys.map((key) => [key, direction])),
          additionalProperties: false,
          example: { cost: 'desc' },
        }),
      offset: z.int(offsetSentence).min(0, offsetSentence).optional().meta({ description: 'First user, counted from 0.', default: 0 }),
      limit: z
        .int(limitMessage)
        .min(0, limitMessage)
        .max(maxLimit, limitMessage)
        .optional()
        .meta({ description: `Users of the page, at most ${maxLimit}.`, default: 50 }),
    },
    bodyMessage,
  )
  .meta({ id: 'UserMetricsQuery', description: 'A query of users with their totals.' });

export type UserMetricsQuery = z.output<typeof userMetricsQuerySchema>;

const number = (description: string): z.ZodNumber => z.number().meta({ description });
const moment = (description: string): z.ZodString => z.string().meta({ description, example: '2026-01-31T12:00:00.000Z' });

const userMetricsItem = z
  .object({
    id: z.string().meta({ description: 'Same as user_id.' }),
    user_id: z.string(),
    active_for: number('Days with a request.'),
    first_active: moment('When the first request arrived.'),
    last_active: moment('When the latest request arrived.'),
    total_requests: number('Requests.'),
    failed: number('How many of them failed.'),
    average_requests_per_day_active: number('Requests for each day with one.'),
    average_tokens_per_request: number('Input and output tokens for each request.'),
    total_completion_tokens: number('Output tokens.'),
    total_prompt_tokens: number('Input tokens.'),
    cost: number('Cost in US dollars.'),
  })
  .meta({ id: 'UserMetricsItem', description: 'A user with totals over the requests that match.' });

export type UserMetricsItem = z.infer<typeof userMetricsItem>;

export const userMetricsAnswerSchema = z
  .object({
    data: z.object({
      users: z.array(userMetricsItem),
      count: number('Users that match, pages aside.'),
      hasUsers: z.boolean().meta({ description: 'Whether any request of the organisation names a user.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'UserMetricsAnswer', description: 'A page of users.' });

export const userOverviewQuerySchema = z
  .object(
    {
      filter,
      pSize: z
        .enum(tailSizes, `\`pSize\` takes one of ${tailSizes.join(', ')}.`)
        .optional()
        .meta({ description: 'The share of the smallest values that a histogram shows.', default: 'p75' }),
      useInterquartile: z.boolean('`useInterquartile` takes true or false.').optional().meta({
        description: 'True: a histogram shows the values near the quartiles instead of the share of pSize.',
        default: false,
      }),
    },
    bodyMessage,
  )
  .meta({ id: 'UserOverviewQuery', description: 'A question about how users are spread.' });

const bucket = z.object({ range_start: z.number(), range_end: z.number(), value: number('How many users are in it.') });

export const userOverviewAnswerSchema = z
  .object({
    data: z.object({
      request_count: z.array(bucket).meta({ description: 'Histogram of the requests of a user: ten ranges of one width.' }),
      user_cost: z.array(bucket).meta({ description: 'Histogram of the cost of a user in US dollars.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'UserOverviewAnswer', description: 'How the users that match are spread.' });

const userIdsSentence = '`userIds` takes a list of at most 1000 texts.';

export const userQuerySchema = z
  .object(
    {
      userIds: z.array(z.string(userIdsSentence), userIdsSentence).max(1000, userIdsSentence).optional().meta({
        description: 'Only these users; without it, all.',
      }),
      timeFilter,
    },
    'The body is a JSON object such as {"userIds": ["user-42"]}; {} asks for every user.',
  )
  .meta({ id: 'UserQuery', description: 'A query of users with what they cost.' });

export type UserQuery = z.output<typeof userQuerySchema>;

const userItem = z
  .object({
    count: number('Requests.'),
    prompt_tokens: number('Input tokens.'),
    completion_tokens: number('Output tokens.'),
    user_id: z.string(),
    cost: number('Cost in US dollars.'),
  })
  .meta({ id: 'UserItem', description: 'A user with what the requests cost.' });

export type UserItem = z.infer<typeof userItem>;

export const userQueryAnswerSchema = z
  .object({ data: z.array(userItem), error: z.null() })
  .meta({ id: 'UserQueryAnswer', description: 'Users with what they cost, the most expensive first; at most 10,000.' });
