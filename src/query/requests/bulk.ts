import { filterWrappers } from '../filter/leaf.ts';
import type { BulkProperties } from '../../model/jobs/job.ts';
import { type Result, success } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { requests, type Rows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { parseFilter } from '../filter/parse.ts';
import type { NumberCell } from './columns.ts';
import type { RequestsPlan } from './query.ts';
import { conditionsOf, pageOf, type PageStatements } from './select.ts';
import { noFlags, type RequestSelection } from './selection.ts';

/** The requests that a bulk change covers. @returns the first fault in its filter. */
export function planBulk(tenant: OrganizationId, filter: unknown): Result<RequestSelection> {
  const parsed = parseFilter(filter, { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  if (!parsed.ok) return parsed;
  return success({ tenant, filter: parsed.value.filter, flags: noFlags, sort: [{ key: 'created_at', direction: 'desc' }] });
}

/** The matching requests that arrived then or earlier. @param until Unix milliseconds. */
export function matchingRequests(selection: RequestSelection, until: number): Rows {
  return requests([sql`created_at <= ${dateTime64(until, 'until')}`, ...conditionsOf(selection)]);
}

export interface BulkCountRow {
  readonly total: NumberCell;
  readonly changing: NumberCell;
}

/** The number of matching requests, and of those that the change would alter, as a {@link BulkCountRow}. */
export function bulkCountStatement(selection: RequestSelection, properties: BulkProperties): Statement {
  const columns = sql`count() AS total, countIf(${alters(properties)}) AS changing`;
  return statementFor(selection.tenant, select({ columns, from: requests(conditionsOf(selection)) }), 'long');
}

function alters({ set, remove }: BulkProperties): Fragment {
  return join(
    [
      ...[...set].map(([name, value]) => sql`NOT mapContains(properties, ${text(name)}) OR properties[${text(name)}] != ${text(value)}`),
      ...remove.map((name) => sql`mapContains(properties, ${text(name)})`),
    ],
    ' OR ',
  );
}

function text(value: string): Fragment {
  return sql`${param(value, 'String')}`;
}

export interface SampleRow {
  readonly id_text: string;
  readonly created_ms: NumberCell;
  readonly model: string;
  /** In the order of the names; null for an absent one. */
  readonly old_values: readonly (string | null)[];
}

/** The newest matching requests, as {@link SampleRow}s. @param names of properties. */
export function sampleStatements(selection: RequestSelection, names: readonly string[], limit: number): PageStatements {
  const plan: RequestsPlan = { ...selection, after: undefined, offset: 0, limit, includeInputs: false };
  const values = sql`arrayMap(name -> if(mapContains(properties, name), toNullable(properties[name]), NULL), ${param(names, 'Array(String)')}) AS old_values`;
  return pageOf(plan, sql`id_text, toUnixTimestamp64Milli(created_at) AS created_ms, model, ${values}`);
}
