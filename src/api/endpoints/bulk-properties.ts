import { filterExample } from '../../contract/filter.ts';
import { bulkPropertyAnswerSchema, bulkPropertySchema, type DryRunItem, readBulkChange } from '../../contract/jobs/bulk.ts';
import { unwrap } from '../../contract/fault.ts';
import { type BulkProperties, targetValues } from '../../model/jobs/job.ts';
import { bulkCountStatement, type BulkCountRow, planBulk, type SampleRow, sampleStatements } from '../../query/requests/bulk.ts';
import type { RequestSelection } from '../../query/requests/selection.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import { endpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { jobItem } from '../page/job-item.ts';

export const bulkProperties = [
  endpoint({
    at: 'POST /v1/request/property',
    id: 'bulkUpdateRequestProperties',
    summary: 'Set or remove properties of all requests that match a filter',
    text: 'Without `dryRun: false` nothing is changed: the answer is how many requests match, how many would change, and a sample. With it, the answer is a job. A job starts when the earlier ones of the organisation have ended. It covers the requests that match then and arrived before, also those on their way to the store whose call has ended; calls that are still open are not covered. A change of a single request that comes after the start stays. Each request and name gets one entry in the history.',
    action: 'update',
    body: { schema: bulkPropertySchema, warnsUnknown: true, read: (body: unknown) => unwrap(readBulkChange(body)) },
    example: { filter: filterExample, set: { Team: 'search' }, remove: ['Draft'], dryRun: true },
    answer: bulkPropertyAnswerSchema,
    answered: 'The dry run, or the job.',
    errors: [400, 413, 415, 422, 504],
    changes: ({ body: { filter, isDryRun } }) => (isDryRun ? undefined : { filter: { filter } }),
    run: async (call) => {
      const { filter, properties, isDryRun } = call.body;
      const selection = unwrap(planBulk(call.tenant, filter));
      if (isDryRun) return dryRun(call, selection, properties);
      return jobItem(await call.ports.jobs.order(call.principal, { kind: 'property', filter, properties }));
    },
  }),
];

const sampleLength = 10;

async function dryRun({ context, ports }: RequestContext, selection: RequestSelection, properties: BulkProperties): Promise<DryRunItem> {
  const { signal } = context.req.raw;
  const targets = targetValues(properties);
  const names = [...targets.keys()];
  const [counted] = await ports.run<BulkCountRow>(bulkCountStatement(selection, properties), signal);
  const rows = await runUntilRows<SampleRow>(ports.run, sampleStatements(selection, names, sampleLength), signal);
  return {
    total: Number(counted?.total ?? 0),
    changing: Number(counted?.changing ?? 0),
    sample: rows.map((row) => ({
      request_id: row.id_text,
      request_created_at: new Date(Number(row.created_ms)).toISOString(),
      model: row.model,
      before: Object.fromEntries(names.map((name, index) => [name, row.old_values[index] ?? null])),
      after: Object.fromEntries(targets),
    })),
  };
}
