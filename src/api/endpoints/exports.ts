import { filterExample } from '../../contract/filter.ts';
import { z } from 'zod';
import { unwrap } from '../../contract/fault.ts';
import { type ExportBody, exportParametersSchema, exportSchema, type ExportParameters } from '../../contract/export.ts';
import { readBody } from '../../contract/read-body.ts';
import { columnNames, showsBodies } from '../../export/columns.ts';
import { exportFormats, formatTraits, formatTitles } from '../../model/vocabulary/export.ts';
import type { AuditedPart } from '../endpoint/audited.ts';
import { rawEndpoint } from '../endpoint/endpoint.ts';
import { answerExport } from '../export/answer-export.ts';
import { filterParameter } from '../http/filter-parameter.ts';

const description =
  'Streams every matching request in the order of arrival, then of identifier, whatever their number; the memory of the service does not grow with it, and a slow reader slows nobody else. Requests that arrive meanwhile are neither repeated nor skipped, and each is as it is when it is read. An export that breaks off ends the connection without the end of the response, so a response that ended is whole; the parameter `cursor` goes on behind the last record that came. At most 4 exports of an organisation run at once.';

const answer = {
  description: 'The records: one JSON object per line, or csv with a line of names, or a Parquet file.',
  headers: {
    'svc-export-end': {
      description:
        'The end of the exported window, exclusive; send it as `endDate` with a `cursor`, and as `startDate` of the next export.',
      schema: { type: 'string' },
    },
    'svc-export-start': { description: 'The start of the window, inclusive, when one was given.', schema: { type: 'string' } },
    'svc-total-count': {
      description: 'How many match, when `Svc-Include-Count: true` was sent and they were counted in time.',
      schema: { type: 'integer' },
    },
  },
  content: Object.fromEntries(
    exportFormats.map((format) => {
      const { mediaTypes, text } = formatTraits[format];
      const schema = text === undefined ? { type: 'string', format: 'binary' } : z.string().meta({ description: text });
      return [mediaTypes[0], { schema }];
    }),
  ),
} as const;

export const exports = [
  rawEndpoint({
    at: 'POST /v1/export',
    id: 'exportRequests',
    summary: `Export requests as ${formatTitles}`,
    text: description,
    action: 'read',
    body: exportSchema,
    example: {
      filter: filterExample,
      startDate: '2026-01-01',
      endDate: '2026-02-01',
      format: 'csv',
      columns: ['request_created_at', 'model', 'cost', 'properties.Team'],
    },
    answer,
    errors: [400, 413, 415, 422, 504],
    readsBodies: ({ body }) => exported(body),
    respond: (call) => answerExport(call, call.body),
  }),
  rawEndpoint({
    at: 'GET /v1/export',
    id: 'exportRequestsByAddress',
    summary: 'Export requests, by an address alone',
    text: `As \`POST /v1/export\`, with the fields as parameters. ${description}`,
    action: 'read',
    query: exportParametersSchema,
    answer,
    errors: [422, 504],
    readsBodies: ({ query }) => exported(bodyOf(query)),
    respond: (call) => answerExport(call, bodyOf(call.query)),
  }),
];

/** What the audit log says of an export with bodies. */
function exported(body: ExportBody): AuditedPart | undefined {
  return showsBodies(body) ? { filter: body } : undefined;
}

/** Parameters as the body that means the same. @throws GatelogError 422. */
function bodyOf({ filter, columns, includeBodies, raw, bom, startDate, endDate, ...same }: ExportParameters): ExportBody {
  const parsed = filterParameter(filter);
  const flags = { includeBodies: truthOf(includeBodies), raw: truthOf(raw), bom: truthOf(bom) };
  const window = { startDate: boundOf(startDate), endDate: boundOf(endDate) };
  const names = columns === undefined ? undefined : columnNames(columns);
  return unwrap(readBody(exportSchema, { ...same, ...flags, ...window, filter: parsed, columns: names }));
}

/** Digits are Unix milliseconds. */
function boundOf(text: string | undefined): string | number | undefined {
  return text !== undefined && /^\d{5,}$/.test(text) ? Number(text) : text;
}

function truthOf(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}
