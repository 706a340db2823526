import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OrganizationId, uuidOfHex } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { makeInsertRows } from '../../src/store/insert/insert.ts';
import { newRowWriters, rowsOf } from '../../src/store/insert/rows.ts';
import { migrateStore } from '../../src/store/schema/migrate.ts';
import { storeFolder } from '../../test/support/bulk-store.ts';
import { progress, untilMerged } from '../query/fill.ts';
import { recordAt } from '../query/records.ts';

/** The store of a team that has used the gateway for a month until now, with one session that is very long. */

export const longSession = 'a very long session';
export const requestsOfLongSession = 20_000;

const msBetween = 2592;
const batchRows = 5000;
const hourMs = 3_600_000;

export interface Filled {
  /** Of a service that does not run. */
  readonly dataDir: string;
  readonly organizationId: OrganizationId;
  readonly records: number;
}

export async function fillStore({ dataDir, organizationId, records }: Filled): Promise<void> {
  const connections = openConnections({ folder: join(dataDir, storeFolder) });
  const now = Date.now();
  const insert = makeInsertRows(connections);
  const add = async (name: string, count: number, recordOf: (index: number) => RequestRecord): Promise<void> => {
    for (let first = 0; first < count; first += batchRows) {
      const writers = newRowWriters();
      const rows = Array.from({ length: Math.min(batchRows, count - first) }, (_, index) => {
        const record = recordOf(first + index);
        return rowsOf(record, record.createdAt, { writers });
      });
      const token = `${name}-${first}`;
      await insert(
        'bodies',
        rows.map(({ bodies }) => bodies),
        `${token}-bodies`,
      );
      await insert(
        'requests',
        rows.map(({ request }) => request),
        `${token}-requests`,
      );
      if ((first / batchRows) % 20 === 19) progress(`stored ${first + rows.length} of ${count}`);
    }
  };
  try {
    await migrateStore(connections, () => undefined);
    await add('month', records, (index) => movedTo(recordAt(index, records, organizationId), now - (records - index) * msBetween));
    await add('long', requestsOfLongSession, (index) => {
      const record = recordAt(records + index, records, organizationId);
      const createdAt = now - 25 * hourMs + Math.floor((index * 24 * hourMs) / requestsOfLongSession);
      const sessionPath = `/agent/step-${index % 20}${index % 3 === 0 ? `/tool-${index % 7}` : ''}`;
      return { ...movedTo(record, createdAt), sessionId: longSession, sessionName: 'long', sessionPath };
    });
    progress('waiting for merges');
    await untilMerged(connections);
  } finally {
    await connections.close();
  }
}

function movedTo(record: RequestRecord, createdAt: number): RequestRecord {
  const rest = record.requestId.replaceAll('-', '').slice(12);
  return {
    ...record,
    createdAt,
    requestId: uuidOfHex(createdAt.toString(16).padStart(12, '0') + rest),
    responseCreatedAt: createdAt + (record.latencyMs ?? 0),
  };
}

const largeId = '8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f0001';

/** Imports a request whose body is some five megabytes of JSON. @returns its identifier, once it is stored. */
export async function importLarge(api: string, key: string): Promise<string> {
  const entries = Array.from({ length: 66_000 }, (_, at) => ({ i: at, text: 'The harbour opens at six and the ferry leaves at 6:20.' }));
  const line = {
    request_id: largeId,
    request_created_at: new Date(Date.now() - 60_000).toISOString(),
    provider: 'OPENAI',
    request_path: '/v1/chat/completions',
    response_status: 200,
    request_body: { messages: [{ role: 'user', content: 'When does the ferry leave?' }], entries },
  };
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${api}/v1/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  });
  if (!response.ok) throw new Error(`The import was answered ${response.status}: ${await response.text()}`);
  for (;;) {
    const stored = await fetch(`${api}/v1/request/${largeId}`, { headers });
    await stored.arrayBuffer();
    if (stored.ok) return largeId;
    await sleep(100);
  }
}
