import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { tenantRows } from '../../sql/tables.ts';
import { dateTimes } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import type { RecordTable } from '../insert/rows.ts';

/** Identifiers are unique within an organisation only. */
export interface RecordName {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** Unix milliseconds: it is looked for at this time only, which is cheap. */
  readonly foundAt?: number;
}

/** @returns the records with rows in the table. @throws GatelogError when the store fails. */
export type FindRows = (table: RecordTable, records: readonly RecordName[]) => Promise<ReadonlySet<RecordName>>;

/** Identifiers per query: with more the query, or the URL that carries it to a server, would exceed common limits. */
const askedAtOnce = 500;

/** Runs in the `insert` lane, whose callers insert next; nothing else waits there. */
export function makeFindRows(connections: Connections): FindRows {
  return async (table, records) => {
    const found = new Set<RecordName>();
    for (const organizationId of new Set(records.map((record) => record.organizationId))) {
      const own = records.filter((record) => record.organizationId === organizationId);
      const byTime = [own.filter(({ foundAt }) => foundAt === undefined), own.filter(({ foundAt }) => foundAt !== undefined)];
      for (const some of byTime.flatMap((alike) => chunksOf(alike, askedAtOnce))) {
        const numbers = await numbersIn(connections, table, organizationId, some);
        for (const record of some) if (numbers.has(uuidToNumber(record.requestId).toString())) found.add(record);
      }
    }
    return found;
  };
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

async function numbersIn(
  connections: Connections,
  table: RecordTable,
  organizationId: OrganizationId,
  records: readonly RecordName[],
): Promise<ReadonlySet<string>> {
  const ids = param(
    records.map(({ requestId }) => uuidToNumber(requestId)),
    'Array(UInt128)',
    'requests',
  );
  const times = records.flatMap(({ foundAt }) => foundAt ?? []);
  const rowCondition = times.length === 0 ? sql`request_id IN ${ids}` : sql`created_at IN ${dateTimes(times)} AND request_id IN ${ids}`;
  const found = select({ distinct: true, columns: sql`toString(request_id) AS id`, from: tenantRows(table, rowCondition) });
  const rows = await readRows<{ readonly id: string }>(connections, 'insert', compileFor(organizationId, found));
  return new Set(rows.map(({ id }) => id));
}
