import { type ImportItem, importAnswerSchema, importBodySchema, importParametersSchema, maxRefusalsShown } from '../../contract/imports.ts';
import type { RefusedLine } from '../../model/record/import.ts';
import type { Line } from '../../platform/lines/line-splitter.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { readLines } from '../http/read-lines.ts';

/** Lines that are taken together: about a batch of the ingest, which interprets the next one of the same series meanwhile. */
const groupLines = 5000;
const groupBytes = 14 * 1024 * 1024;

export const imports = [
  endpoint({
    at: 'POST /v1/import',
    id: 'importRequests',
    summary: 'Import requests',
    text: 'Takes a key with the permission `w`, `rw` or `admin`. The body has one request a line, as the items of a query and the files of an export have it; it may be compressed (`Content-Encoding: gzip`) and of any length. Identifiers and times are kept. What is on record under an identifier stays as it is, so the same call can be repeated at any time. The key decides which organisation the records belong to. A line that cannot be stored is rejected with its number and a reason, and the others are imported. Redaction rules and the retention of the organisation hold.',
    action: 'send',
    query: importParametersSchema,
    content: { 'application/x-ndjson': { schema: importBodySchema } },
    example: `${JSON.stringify({
      request_id: '0193b3a4-0000-7000-8000-000000000001',
      request_created_at: '2026-01-31T12:00:00.000Z',
      provider: 'OPENAI',
      model: 'gpt-4.1-mini',
      response_status: 200,
      prompt_tokens: 12,
      completion_tokens: 3,
      cost: 0.0000096,
      properties: { Environment: 'production' },
    })}\n`,
    readsStream: true,
    answer: importAnswerSchema,
    answered: 'Every line is on record or named as rejected.',
    errors: [400, 415, 422, 504],
    changes: ({ query }) => (query.dryRun === 'true' ? undefined : {}),
    run: async ({ context, principal, ports, memory, query }) => {
      const isTrial = query.dryRun === 'true';
      const { maxLineBytes, whenLongLineFits } = ports.imports;
      const sum: ImportItem = { lines: 0, imported: 0, already_there: 0, rejected: 0, rejections: [], dry_run: isTrial };
      for await (const lines of readLines(context, { maxLineBytes, groupLines, groupBytes, memory, whenLongLineFits })) {
        const fitting = lines.filter(({ isTooLong }) => !isTooLong);
        const { imported, alreadyThere, refused } = await ports.imports.take(principal, fitting, isTrial);
        const rejections = [...refused, ...lines.filter(({ isTooLong }) => isTooLong).map((line) => tooLong(line, maxLineBytes))];
        sum.lines += lines.length;
        sum.imported += imported;
        sum.already_there += alreadyThere;
        sum.rejected += rejections.length;
        const inOrder = rejections.toSorted((one, other) => one.line - other.line);
        sum.rejections.push(...inOrder.slice(0, maxRefusalsShown - sum.rejections.length));
      }
      return sum;
    },
  }),
];

function tooLong({ number }: Line, maxLineBytes: number): RefusedLine {
  return { line: number, field: '', reason: `The line has more than ${maxLineBytes} bytes.` };
}
