import { type OrganizationId, type RequestId, uuidToNumber } from '../model/ids.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { boundQuery } from './parameters.ts';
import type { RecordTable } from './tables/rows.ts';

/** Names a record: identifiers are an organisation's own. */
export interface RecordName {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
}

/** Which of these records a table has rows of. @throws GatelogError when the store fails. */
export type FindRows = (table: RecordTable, records: readonly RecordName[]) => Promise<ReadonlySet<RecordName>>;

/** Makes the function that looks. It goes in the lane of the inserts: who asks is about to insert, and nobody else waits there. */
export function makeFindRows(connections: Connections): FindRows {
  return async (table, records) => {
    const found = new Set<RecordName>();
    for (const organizationId of new Set(records.map((record) => record.organizationId))) {
      const own = records.filter((record) => record.organizationId === organizationId);
      const numbers = await numbersIn(connections, table, organizationId, own);
      for (const record of own) if (numbers.has(uuidToNumber(record.requestId).toString())) found.add(record);
    }
    return found;
  };
}

async function numbersIn(
  connections: Connections,
  table: RecordTable,
  organizationId: OrganizationId,
  records: readonly RecordName[],
): Promise<ReadonlySet<string>> {
  const text = `SELECT DISTINCT toString(request_id) AS id FROM ${table} WHERE org_id = {tenant:UInt128} AND request_id IN {requests:Array(UInt128)}`;
  const params = { tenant: uuidToNumber(organizationId).toString(), requests: records.map(({ requestId }) => uuidToNumber(requestId)) };
  try {
    return await connections.run('insert', async (client) => {
      const result = await client.query({ ...boundQuery(text, params, connections.embedded), format: 'JSONEachRow' });
      return new Set((await result.json<{ readonly id: string }>()).map(({ id }) => id));
    });
  } catch (error) {
    throw storeFailure(error);
  }
}
