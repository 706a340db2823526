import { z } from 'zod';
import { filterSchema } from '../filter.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';
import { metricsLimits } from '../../model/vocabulary/metrics.ts';
import { offsetSentence } from '../paging.ts';
import { rowsMessage, offsetLimitSentence } from './query.ts';

/** Shapes of upstream's metrics. */

const timeSentence = '`timeFilter` takes {"start": …, "end": …} with times such as "2026-01-31T00:00:00Z", or Unix milliseconds.';
const bodyMessage = 'The body is a JSON object such as {"filter": "all", "timeFilter": {"start": "2026-01-01", "end": "2026-02-01"}}.';

/** Upstream's names of buckets. */
export const incrementNames = ['min', 'hour', 'day', 'week', 'month', 'year'] as const;

const incrementSentence = `\`dbIncrement\` takes one of ${incrementNames.join(', ')}.`;
const zoneSentence = '`timeZoneDifference` takes a number of hours up to 24, or of minutes up to 1440; negative west of UTC.';

function moment(description: string) {
  return z
    .union([z.string(timeSentence), z.number(timeSentence)], timeSentence)
    .transform((given, context) => {
      const ms = parseTimestamp(given);
      if (ms === undefined) context.addIssue({ code: 'custom', message: timeSentence });
      return ms ?? z.NEVER;
    })
    .optional()
    .meta({ type: 'string', description, example: '2026-01-31T00:00:00Z' });
}

export const namedTimeFilter = z
  .looseObject({ start: moment('Start of the range, inclusive.'), end: moment('End of the range, inclusive.') }, timeSentence)
  .optional()
  .meta({ description: 'The range of arrival times; without it, all time.' });

export const increment = z
  .enum(incrementNames, incrementSentence)
  .optional()
  .meta({ description: 'Length of a bucket of time.', default: 'hour' });

export const zoneDifference = z.number(zoneSentence).min(-1440, zoneSentence).max(1440, zoneSentence).optional().meta({
  description: 'Where a bucket begins: up to 24 hours from UTC, above that minutes; negative west of it.',
  default: 0,
});

const range = { filter: filterSchema.optional(), timeFilter: namedTimeFilter };

export const namedTotalQuerySchema = z
  .object(range, bodyMessage)
  .meta({ id: 'NamedTotalQuery', description: 'A question for one figure.' });

export const namedCountQuerySchema = z
  .object(
    {
      ...range,
      isCached: z.boolean('`isCached` takes true or false.').optional().meta({
        description: 'True counts only answers from the response cache.',
        default: false,
      }),
    },
    bodyMessage,
  )
  .meta({ id: 'NamedCountQuery', description: 'A question for a number of requests.' });

const series = { ...range, dbIncrement: increment, timeZoneDifference: zoneDifference };

export const namedSeriesQuerySchema = z
  .object(series, bodyMessage)
  .meta({ id: 'NamedSeriesQuery', description: 'A question for figures over time.' });

const quantileSentence = '`metric` takes latency or time_to_first_token.';

export const namedQuantilesQuerySchema = z
  .object(
    { ...series, metric: z.enum(['latency', 'time_to_first_token'], quantileSentence).optional().meta({ default: 'latency' }) },
    bodyMessage,
  )
  .meta({ id: 'NamedQuantilesQuery', description: 'A question for quantiles over time.' });

export const namedListQuerySchema = z
  .object(
    {
      ...range,
      offset: z
        .int(offsetSentence)
        .min(0, offsetSentence)
        .max(metricsLimits.offset, offsetLimitSentence)
        .optional()
        .meta({ description: 'First row, counted from 0.', default: 0 }),
      limit: z
        .int(rowsMessage)
        .min(0, rowsMessage)
        .max(metricsLimits.rows, rowsMessage)
        .optional()
        .meta({ description: `Rows of the answer, at most ${metricsLimits.rows}.`, default: 100 }),
    },
    bodyMessage,
  )
  .meta({ id: 'NamedListQuery', description: 'A question for figures by model or country.' });

/** A parsed question; fields that its kind does not have are undefined. */
export interface NamedMetricsQuery {
  readonly filter?: unknown;
  readonly timeFilter?: z.output<typeof namedTimeFilter>;
  readonly dbIncrement?: (typeof incrementNames)[number] | undefined;
  readonly timeZoneDifference?: number | undefined;
  readonly metric?: 'latency' | 'time_to_first_token' | undefined;
  readonly offset?: number | undefined;
  readonly isCached?: boolean | undefined;
  readonly limit?: number | undefined;
}

type NamedFields = Readonly<Record<string, 'text' | 'number'>>;

/** What the answer of a named metric holds. */
export type NamedShape = 'number' | { readonly object: NamedFields } | { readonly list: NamedFields };

export function namedMetricsAnswerSchema(name: string, shape: NamedShape, description: string) {
  const title = `Metric${name.slice(0, 1).toUpperCase()}${name.slice(1)}Answer`;
  return z.object({ data: dataOf(shape), error: z.null() }).meta({ id: title, description });
}

function dataOf(shape: NamedShape): z.ZodType {
  if (shape === 'number') return z.number();
  return 'object' in shape ? z.strictObject(members(shape.object)) : z.array(z.strictObject(members(shape.list)));
}

function members(fields: NamedFields): Readonly<Record<string, z.ZodString | z.ZodNumber>> {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type === 'text' ? z.string() : z.number()]));
}
