import { uuidToNumber } from '../../src/model/ids.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { arrivalOf, tenant } from './records.ts';

/** Factor by which a store grows. */
export const grownTimes = 10;

const daysEach = 30;

/**
 * Makes a store ten times as large at the same density: copies its thirty days into each of the nine months before them, as other requests
 * of other sessions. The engine copies the rows itself, which takes seconds instead of an hour.
 */
export async function grow(connections: Connections, progress: (line: string) => void): Promise<void> {
  const original = `org_id = toUInt128('${uuidToNumber(tenant)}') AND created_at >= fromUnixTimestamp64Milli(${arrivalOf(0)}, 'UTC')`;
  for (let copy = 1; copy < grownTimes; copy += 1) {
    const columns = `* REPLACE (created_at - toIntervalDay(${copy * daysEach}) AS created_at, request_id - bitShiftLeft(toUInt128(${copy * daysEach} * 86400000), 80) AS request_id, if(session_id = '', '', concat(session_id, '-${copy}')) AS session_id)`;
    await connections.run('insert', async (client) =>
      client.command({
        query: `INSERT INTO requests SELECT ${columns} FROM requests WHERE ${original}`,
        clickhouse_settings: { insert_deduplication_token: `copy ${copy}`, max_execution_time: 600 },
      }),
    );
    progress(`there are ${copy + 1} times as many records`);
  }
}
