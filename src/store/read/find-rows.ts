import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { boundQuery } from '../engine/parameters.ts';
import type { RecordTable } from '../insert/rows.ts';

/** Names a record: identifiers are an organisation's own. */
export interface RecordName {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
}

/** Which of these records a table has rows of. @throws GatelogError when the store fails. */
export type FindRows = (table: RecordTable, records: readonly RecordName[]) => Promise<ReadonlySet<RecordName>>;

/** Identifiers in one question: of more the query, or the address that carries it to a server, would be longer than many take. */
const askedAtOnce = 500;

/** Makes the function that looks. It goes in the lane of the inserts: who asks is about to insert, and nobody else waits there. */
export function makeFindRows(connections: Connections): FindRows {
  return async (table, records) => {
    const found = new Set<RecordName>();
    for (const organizationId of new Set(records.map((record) => record.organizationId))) {
      const own = records.filter((record) => record.organizationId === organizationId);
      for (let start = 0; start < own.length; start += askedAtOnce) {
        const some = own.slice(start, start + askedAtOnce);
        const numbers = await numbersIn(connections, table, organizationId, some);
        for (const record of some) if (numbers.has(uuidToNumber(record.requestId).toString())) found.add(record);
      }
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
      const result = await client.query({ ...boundQuery(text, { params }, connections.embedded), format: 'JSONEachRow' });
      return new Set((await result.json<{ readonly id: string }>()).map(({ id }) => id));
    });
  } catch (error) {
    throw storeFailure(error);
  }
}
