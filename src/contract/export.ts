import { z } from 'zod';
import { exportFormats, compressions } from '../model/vocabulary/export.ts';
import { filterSchema } from './filter.ts';

const dateSentence = 'takes an ISO 8601 time or a date, UTC, such as "2026-01-31", or Unix milliseconds.';
const formatSentence = `\`format\` is one of ${exportFormats.join(', ')}.`;
const compressionSentence = `\`compression\` is one of ${compressions.join(', ')}.`;
const columnsSentence = '`columns` takes a list of names, such as ["request_id", "cost", "properties.Team"].';
const cursorSentence = '`cursor` takes `<request_created_at>,<request_id>` of the last record that you have.';
const timeFilterSentence = '`timeFilter` takes {"startTimeUnixMs": …, "endTimeUnixMs": …}, whole numbers.';
const bodyMessage = 'The body is a JSON object such as {"filter": "all", "format": "csv"}.';

const flagSentence = (name: string): string => `\`${name}\` takes true or false.`;
const flag = (name: string, description: string): z.ZodOptional<z.ZodBoolean> =>
  z.boolean(flagSentence(name)).optional().meta({ description, default: false });

const timeBound = (name: string, description: string, example: string) =>
  z.union([z.string(), z.number()], `\`${name}\` ${dateSentence}`).optional().meta({ description, example });

/** What is exported, and how it is written. `query/export/plan.ts` parses filter, times and cursor, `export/columns.ts` the columns. */
export const exportSchema = z
  .object(
    {
      filter: filterSchema.optional(),
      startDate: timeBound('startDate', 'Requests that arrived then or later; a date is its beginning, UTC.', '2026-01-01'),
      endDate: timeBound(
        'endDate',
        'Requests that arrived before then; a date is its beginning, UTC, so that day is not in it. Without it the export ends where it began: what arrives later is not in it.',
        '2026-02-01',
      ),
      timeFilter: z
        .object(
          { startTimeUnixMs: z.int(timeFilterSentence).optional(), endTimeUnixMs: z.int(timeFilterSentence).optional() },
          timeFilterSentence,
        )
        .optional()
        .meta({ description: 'The same window in Unix milliseconds, instead of `startDate` and `endDate`.' }),
      format: z
        .enum(exportFormats, formatSentence)
        .optional()
        .meta({ description: 'Without it the header `Accept` decides; `jsonl` else.', default: 'jsonl' }),
      columns: z
        .array(z.string(columnsSentence), columnsSentence)
        .optional()
        .meta({
          description:
            'Columns in this order: fields of a request item, `properties.<name>`, `scores.<name>`, `inputs.<name>`, and `cursor`. Without it all, in a fixed order.',
          example: ['request_created_at', 'model', 'cost', 'properties.Team'],
        }),
      includeBodies: z
        .boolean(flagSentence('includeBodies'))
        .optional()
        .meta({ description: 'True adds both bodies of each request. Without it bodies come when `columns` names them.' }),
      cursor: z.string(cursorSentence).optional().meta({
        description:
          'Continues after a record: `<request_created_at>,<request_id>` of the last one that you have, also the value of the column `cursor`.',
        example: '2026-01-31T12:00:00.000Z,0193b3a4-0000-7000-8000-000000000001',
      }),
      compression: z
        .enum(compressions, compressionSentence)
        .optional()
        .meta({ description: 'Of the file; in Parquet of its pages.', default: 'none' }),
      raw: flag('raw', "csv: true writes cells as they are. Else a text that a spreadsheet would run gets a `'` in front."),
      bom: flag('bom', 'csv: true writes a byte order mark first, by which Excel knows UTF-8.'),
    },
    bodyMessage,
  )
  .meta({ id: 'Export', description: 'What is exported, and how it is written.' });

export type ExportBody = z.output<typeof exportSchema>;

const text = (description: string) => z.string().optional().meta({ description });
const truth = (name: string, description: string) => z.enum(['true', 'false'], flagSentence(name)).optional().meta({ description });

/** The fields of {@link exportSchema} as parameters of an address. */
export const exportParametersSchema = z.object({
  filter: text('A filter as URL-encoded JSON; without it every request.'),
  startDate: text('Requests that arrived then or later; a date is its beginning, UTC.'),
  endDate: text('Requests that arrived before then.'),
  format: z.enum(exportFormats, formatSentence).optional().meta({ description: 'Without it the header `Accept` decides; `jsonl` else.' }),
  columns: text('Columns separated by commas, or a list of JSON.'),
  includeBodies: truth('includeBodies', '`true` adds both bodies of each request.'),
  cursor: text('Continues after a record: `<request_created_at>,<request_id>`.'),
  compression: z.enum(compressions, compressionSentence).optional().meta({ description: 'Of the file; in Parquet of its pages.' }),
  raw: truth('raw', 'csv: `true` writes cells as they are.'),
  bom: truth('bom', 'csv: `true` writes a byte order mark first.'),
});

export type ExportParameters = z.output<typeof exportParametersSchema>;
