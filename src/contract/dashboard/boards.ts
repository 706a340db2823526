import { z } from 'zod';
import { chartKinds, panelWidths } from '../../model/dashboard/board.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import { metricsQuerySchema } from '../metrics/query.ts';
import { ignored, nameSchema, savedFields } from './saved.ts';

const { panels: maxPanels } = dashboardLimits;

const boardSentence =
  'A board is an object such as {"name": "Spend", "time_range": {"last": "7d"}, "panels": [{"title": "By model", "chart": "bars", "metrics": ["cost"], "by": ["model"]}]}.';
const panelsSentence = `\`panels\` takes a list of at most ${maxPanels} panels.`;
const panelSentence = 'A panel is an object such as {"title": "By model", "chart": "bars", "metrics": ["cost"], "by": ["model"]}.';
const chartSentence = `\`chart\` is one of ${chartKinds.join(', ')}.`;
const widthSentence = `\`width\` is one of ${panelWidths.join(', ')}.`;
const rangeSentence =
  '`time_range` takes {"last": "24h"}, a whole number of m, h or d, {"last": "today"}, {"last": "month"} or {"last": "all"}; or a start, an end or both, such as {"startTimeUnixMs": 1767225600000, "endTimeUnixMs": 1769904000000}.';
const orderSentence = 'A range starts before it ends.';
const eitherSentence = '`last` and the bounds of a range exclude each other; leave one out.';

const { metrics, groupBy, interval, filter, sort, limit } = metricsQuerySchema.shape;

/** A chart with its query. `query/metrics/plan.ts` parses what `POST /v1/metrics/query` takes too. */
const panelSchema = z
  .object(
    {
      title: nameSchema('title'),
      chart: z.enum(chartKinds, chartSentence),
      metrics,
      by: groupBy,
      bucket: interval.meta({
        description:
          'Length of a bucket of time, the `interval` of a query. Absent: a line has one that fits the range, bars and tables show no time.',
      }),
      filter,
      sort,
      limit,
      compare: z.boolean('`compare` takes true or false.').optional().meta({
        description: 'Also shows the range of the same length before; a range without an end or a start has none.',
        default: false,
      }),
      width: z
        .literal(panelWidths, widthSentence)
        .optional()
        .meta({ type: 'integer', enum: [...panelWidths], description: 'Columns that the panel takes, of three.', default: 1 }),
    },
    panelSentence,
  )
  .meta({
    id: 'BoardPanel',
    description:
      'A chart. `metrics`, `by` (its `groupBy`), `bucket` (its `interval`), `filter`, `sort` and `limit` are a query of metrics.',
    required: ['title', 'chart', 'metrics'],
  });
export type BoardPanel = z.output<typeof panelSchema>;

/** The last time that a date of JavaScript can have. */
const farthestMs = 8.64e15;

function bound(name: string, description: string) {
  const sentence = `\`${name}\` takes Unix milliseconds as a number.`;
  return z.number(sentence).min(-farthestMs, sentence).max(farthestMs, sentence).optional().meta({ description });
}

const timeRangeSchema = z
  .object(
    {
      last: z
        .string(rangeSentence)
        .refine((text) => /^(?:[1-9]\d{0,4}[mhd]|today|month|all)$/.test(text), rangeSentence)
        .optional()
        .meta({
          description:
            'A range that ends now: a whole number of minutes, hours or days; `today` or `month` since its beginning in the time zone of the reader; or `all`.',
          example: '7d',
        }),
      startTimeUnixMs: bound('startTimeUnixMs', 'Start of the range, Unix milliseconds, inclusive; without it the range has no start.'),
      endTimeUnixMs: bound('endTimeUnixMs', 'End of the range, Unix milliseconds, inclusive; without it the range has no end.'),
    },
    rangeSentence,
  )
  .superRefine(({ last, startTimeUnixMs: start, endTimeUnixMs: end }, context) => {
    const message =
      last === undefined && start === undefined && end === undefined
        ? rangeSentence
        : last !== undefined && (start !== undefined || end !== undefined)
          ? eitherSentence
          : start !== undefined && end !== undefined && start > end
            ? orderSentence
            : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ id: 'BoardTimeRange', description: 'The range that all panels show: relative, or between two times.' });

const fields = {
  name: nameSchema('name').meta({ description: 'Unique in the organisation.' }),
  time_range: timeRangeSchema,
  panels: z.array(panelSchema, panelsSentence).max(maxPanels, panelsSentence),
};
const versionSentence =
  '`version` takes the number that GET /v1/boards/{id} shows, so that no later change of somebody else is overwritten.';
const version = z.int().meta({ description: 'Grows by one with each change.', minimum: 1, example: 1 });

export const newBoardSchema = z
  .object({ ...fields, id: ignored, version: ignored, created_at: ignored, updated_at: ignored }, boardSentence)
  .meta({ id: 'NewBoard', description: 'Charts on one page.' });

export const changedBoardSchema = z
  .object(
    {
      ...fields,
      version: z.int(versionSentence).meta({ description: 'The version that the change was made from, as `GET` shows it.', example: 1 }),
      id: ignored,
      created_at: ignored,
      updated_at: ignored,
    },
    boardSentence,
  )
  .meta({ id: 'ChangedBoard', description: 'The whole board, as it is from now on.' });

export type NewBoard = Pick<z.output<typeof newBoardSchema>, keyof typeof fields>;

const boardSchema = z.object({ ...savedFields, ...fields, version }).meta({ id: 'Board', description: 'A stored board.' });

export const boardAnswerSchema = z.object({ data: boardSchema, error: z.null() }).meta({ id: 'BoardAnswer' });

const summarySchema = z
  .object({ ...savedFields, name: fields.name, version, panel_count: z.int().meta({ description: 'How many charts it has.' }) })
  .meta({ id: 'BoardSummary', description: 'A board without its panels, which `GET /v1/boards/{id}` shows.' });

export const boardsAnswerSchema = z
  .object({ data: z.array(summarySchema), error: z.null() })
  .meta({ id: 'BoardsAnswer', description: `The boards by name, at most ${dashboardLimits.boards}.` });
