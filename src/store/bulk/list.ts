import type { ListedRequest } from '../../model/jobs/job.ts';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import { insertSelected } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor } from '../../sql/statement.ts';
import { tenantRows, requests, type Rows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';

/** A running job: its organisation, and its number among all changes. */
export interface JobKey {
  readonly organizationId: OrganizationId;
  readonly number: number;
  /** Unix milliseconds: the time of its changes in the history. Later requests are not covered. */
  readonly startedAt: number;
}

/** The job that an undo undoes. */
export type UndoneJob = Omit<JobKey, 'organizationId'>;

/**
 * Lists the requests that match now. The engine selects and inserts from one state of the table.
 * @param matching rows of `requests`.
 */
export function listStatement(job: JobKey, matching: Rows): CompiledSql {
  const query = select({ columns: sql`${param(job.number, 'UInt64', 'job')} AS job, org_id, created_at, request_id`, from: matching });
  const insertion = insertSelected({ table: 'job_requests', columns: ['job', 'org_id', 'created_at', 'request_id'] }, query);
  return compileFor(job.organizationId, insertion);
}

/** The stored requests in whose history the undone job is. */
export function requestsChangedBy({ number, startedAt }: UndoneJob): Rows {
  const entries = tenantRows('changes', [
    sql`number = ${param(number, 'UInt64', 'undone')}`,
    sql`changed_at = ${dateTime64(startedAt, 'undone_at')}`,
  ]);
  return requests([
    sql`created_at <= ${dateTime64(startedAt, 'undone_at')}`,
    sql`request_id IN ${select({ columns: sql`request_id`, from: entries })}`,
  ]);
}

/** The number of listed requests, as `total`. */
export function listedCount(job: JobKey): CompiledSql {
  return compileFor(job.organizationId, select({ columns: sql`count() AS total`, from: listed(job) }));
}

export interface ListedRow {
  readonly created_ms: number | string;
  /** A decimal number. */
  readonly id: string;
}

/** The next requests of a job, as {@link ListedRow}s. */
export function nextListed(job: JobKey, after: ListedRequest | null, limit: number): CompiledSql {
  const behind: readonly Fragment[] =
    after === null
      ? []
      : [
          sql`(created_at, request_id) > (${dateTime64(after.createdAt, 'after')}, ${param(uuidToNumber(after.requestId), 'UInt128', 'after_id')})`,
        ];
  return compileFor(
    job.organizationId,
    select({
      columns: sql`toUnixTimestamp64Milli(created_at) AS created_ms, toString(request_id) AS id`,
      from: listed(job, behind),
      orderBy: sql`created_at, request_id`,
      limit: param(limit, 'UInt64', 'limit'),
    }),
  );
}

export function listedRequest({ created_ms: ms, id }: ListedRow): ListedRequest {
  return { createdAt: Number(ms), requestId: requestIdOf(id) };
}

/** @param decimal a request's identifier as the store writes numbers. */
export function requestIdOf(decimal: string): RequestId {
  return uuidOfHex(BigInt(decimal).toString(16).padStart(32, '0'));
}

function listed({ number }: JobKey, and: readonly Fragment[] = []): Rows {
  return tenantRows('job_requests', [sql`job = ${param(number, 'UInt64', 'job')}`, ...and]);
}
