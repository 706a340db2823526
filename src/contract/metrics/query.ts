import { z } from 'zod';
import {
  type DimensionDefinition,
  dimensions,
  intervals,
  type MetricDefinition,
  metricNames,
  metrics,
  metricsLimits,
  namedDimensions,
  scoreDefinition,
  scorePrefix,
} from '../../model/vocabulary/metrics.ts';
import { sortDirections } from '../../model/vocabulary/sort.ts';
import { apiErrorCodes } from '../../model/errors.ts';
import { filterSchema } from '../filter.ts';
import { offsetSentence } from '../paging.ts';
import { timeBounds, timeFilterOf, timezoneDifferenceSentence } from '../time-range.ts';

export const rowsMessage = `\`limit\` takes a whole number from 0 to ${metricsLimits.rows}.`;
export const offsetLimitSentence = `\`offset\` is at most ${metricsLimits.offset}.`;
const direction = { type: 'string' as const, enum: [...sortDirections] };

function flag(name: string, description: string) {
  return z.boolean(`\`${name}\` takes true or false.`).optional().meta({ description, default: false });
}

const namedDimensionSchemas = Object.keys(namedDimensions).map((kind) => ({
  type: 'object' as const,
  properties: { [kind]: { type: 'string' as const } },
  required: [kind],
  additionalProperties: false,
}));

/** The body of a metrics query. `query/metrics/plan.ts` parses metrics, groups, sort and filter. */
export const metricsQuerySchema = z
  .object(
    {
      metrics: z
        .unknown()
        .optional()
        .meta({
          type: 'array',
          description:
            'Metrics to compute; `GET /v1/metrics/meta` describes each. `avg_score.quality` is the average of the score `quality`.',
          items: {
            oneOf: [
              { type: 'string' as const, enum: [...metricNames] },
              { type: 'string' as const, pattern: `^(?:${scorePrefix.slice(0, -1)})\\.` },
            ],
          },
          minItems: 1,
          maxItems: metricsLimits.metrics,
          example: ['count', 'cost'],
        }),
      groupBy: z
        .unknown()
        .optional()
        .meta({
          type: 'array',
          description:
            'Dimensions of the groups; without one, all requests are one group. `"properties.Team"` is short for {"property": "Team"}.',
          items: {
            oneOf: [
              { type: 'string' as const, enum: Object.keys(dimensions) },
              { type: 'string' as const, pattern: `^(?:${Object.values(namedDimensions).join('|')})\\.` },
              ...namedDimensionSchemas,
            ],
          },
          maxItems: metricsLimits.dimensions,
          example: ['model', { property: 'Team' }],
        }),
      interval: z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          enum: [...intervals],
          description:
            'Length of a bucket of time. A week begins on Monday, and 3h and 6h are counted from midnight. Buckets without a request are left out.',
        }),
      timezone: z.string('`timezone` takes a name such as "Europe/Berlin".').optional().meta({
        description: 'IANA time zone of buckets, hours of the day and weekdays, with its daylight saving; not with `timezoneDifference`.',
        example: 'Europe/Berlin',
      }),
      timezoneDifference: z
        .number(timezoneDifferenceSentence)
        .min(-1440, timezoneDifferenceSentence)
        .max(1440, timezoneDifferenceSentence)
        .optional()
        .meta({
          description: 'A fixed distance from UTC instead: up to 24 it is hours, above that minutes; negative west of UTC.',
          default: 0,
        }),
      filter: filterSchema.optional(),
      ...timeBounds,
      timeFilter: timeFilterOf(timeBounds),
      sort: z
        .unknown()
        .optional()
        .meta({
          type: 'object',
          description:
            'Metrics, and `time` of a series, with "asc" or "desc"; a value that is not known comes last. Without it: by time, then by the first metric, the greatest first.',
          additionalProperties: direction,
          example: { cost: 'desc' },
        } as const),
      limit: z
        .int(rowsMessage)
        .min(0, rowsMessage)
        .max(metricsLimits.rows, rowsMessage)
        .optional()
        .meta({ description: `Rows of the answer, at most ${metricsLimits.rows}.`, default: metricsLimits.defaultRows }),
      offset: z
        .int(offsetSentence)
        .min(0, offsetSentence)
        .max(metricsLimits.offset, offsetLimitSentence)
        .optional()
        .meta({ description: 'First row, counted from 0.', default: 0 }),
      other: flag('other', 'True adds a row `{"other": true, …}` with what all groups that are not shown make together.'),
      totals: flag('totals', 'True adds a last row `{"total": true, …}` over all groups.'),
    },
    'The body is a JSON object such as {"metrics": ["count", "cost"], "groupBy": ["model"]}.',
  )
  .meta({ id: 'MetricsQuery', description: 'A query of metrics.', required: ['metrics'] });

/** A parsed metrics query; omitted fields are undefined. */
export type MetricsQuery = z.output<typeof metricsQuerySchema>;

const row = z.record(z.string(), z.unknown()).meta({
  id: 'MetricsRow',
  description:
    'The group under the names of its dimensions, such as `model` or `properties.Team`, null where a request has none; `time`, the start of the bucket; the metrics.',
  example: { model: 'gpt-4o-mini', 'properties.Team': 'search', count: 12, cost: 0.0042 },
});

export const metricsAnswerSchema = z
  .object({
    data: z.array(row),
    error: z.null(),
    approximate: z.array(z.string()).optional().meta({ description: 'Metrics that are not exact in this answer; absent when all are.' }),
  })
  .meta({ id: 'MetricsAnswer', description: 'Metrics of groups of requests.' });

const queriesSentence = `\`queries\` takes a list of 1 to ${metricsLimits.queries} queries, as POST /v1/metrics/query takes one.`;
const rowsOfAllSentence = `The \`limit\`s of all queries are at most ${metricsLimits.rowsOfAll} together; one without it has ${metricsLimits.defaultRows}.`;

/** The body of several metrics queries at once. */
export const metricsBatchSchema = z
  .object(
    {
      queries: z
        .array(metricsQuerySchema, queriesSentence)
        .min(1, queriesSentence)
        .max(metricsLimits.queries, queriesSentence)
        .refine(
          (queries) => queries.reduce((sum, { limit = metricsLimits.defaultRows }) => sum + limit, 0) <= metricsLimits.rowsOfAll,
          rowsOfAllSentence,
        )
        .meta({ description: `At most ${metricsLimits.queries}. ${rowsOfAllSentence}` }),
    },
    'The body is a JSON object such as {"queries": [{"metrics": ["count"]}, {"metrics": ["cost"], "groupBy": ["model"]}]}.',
  )
  .meta({ id: 'MetricsBatch', description: 'Queries of metrics that are answered together.' });

const batchItemSchema = z
  .object({
    rows: z.array(row).meta({ description: 'As `data` of POST /v1/metrics/query; empty where the query failed.' }),
    approximate: z.array(z.string()).meta({ description: 'Metrics that are not exact in these rows.' }),
    problem: z
      .object({ error: z.string(), code: z.enum(apiErrorCodes), details: z.record(z.string(), z.unknown()).optional() })
      .nullable()
      .meta({ description: 'Why this query failed; null: it did not.' }),
  })
  .meta({ id: 'MetricsBatchItem', description: 'The answer to one query.' });

export type MetricsBatchItem = z.input<typeof batchItemSchema>;

export const metricsBatchAnswerSchema = z
  .object({ data: z.array(batchItemSchema).meta({ description: 'One for each query, in their order.' }), error: z.null() })
  .meta({ id: 'MetricsBatchAnswer', description: 'Metrics of several queries.' });

const text = (description: string): z.ZodString => z.string().meta({ description });

const metaSchema = z.object({
  metrics: z.array(z.object({ name: z.string(), unit: z.string(), additive: z.boolean(), description: z.string() })),
  dimensions: z.array(
    z.object({
      name: z.union([z.string(), z.record(z.string(), z.string())]).meta({ description: 'As written in `groupBy`.' }),
      type: z.enum(['text', 'number', 'boolean']),
      description: z.string(),
    }),
  ),
  operators: z.record(z.string(), z.array(z.string())).meta({ description: 'Operators of filters by the family of a field.' }),
  intervals: z.array(z.string()),
  limits: z.object({ metrics: z.int(), dimensions: z.int(), rows: z.int(), offset: z.int(), exact_distinct: z.int() }),
  timezones: text('Where names of time zones are listed.'),
});

export type MetricsMeta = z.infer<typeof metaSchema>;

export const metricsMetaSchema = z
  .object({ data: metaSchema, error: z.null() })
  .meta({ id: 'MetricsMeta', description: 'The metrics, dimensions, operators and intervals that there are.' });

export function describedMetrics(): MetricsMeta['metrics'] {
  const all = { ...metrics, [`${scorePrefix}…`]: scoreDefinition };
  return Object.entries(all).map(([name, { unit, additive, description }]: [string, MetricDefinition]) => ({
    name,
    unit,
    additive,
    description,
  }));
}

export function describedDimensions(): MetricsMeta['dimensions'] {
  const own = Object.entries(dimensions).map(([name, { type, description }]: [string, DimensionDefinition]) => ({
    name,
    type,
    description,
  }));
  return [
    ...own,
    { name: { property: '…' }, type: 'text', description: 'The text of a property, also written "properties.…".' },
    { name: { input: '…' }, type: 'text', description: 'The text of a prompt input, also written "inputs.…".' },
  ];
}
