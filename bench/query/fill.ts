import type { RequestId } from '../../src/model/ids.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeInsertRows } from '../../src/store/insert/insert.ts';
import { newRowWriters, rowsOf } from '../../src/store/insert/rows.ts';
import { otherTenant, recordAt, tenant } from './records.ts';

const batchRows = 5000;

export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Fills the store. @returns some of the identifiers. */
export async function fill(connections: Connections, records: number, withBodies: boolean): Promise<readonly RequestId[]> {
  const insert = makeInsertRows(connections);
  const ids: RequestId[] = [];
  for (const [organization, count] of [
    [tenant, records],
    [otherTenant, Math.floor(records / 10)],
  ] as const) {
    for (let first = 0; first < count; first += batchRows) {
      const batch = Array.from({ length: Math.min(batchRows, count - first) }, (_, index) => recordAt(first + index, count, organization));
      const writers = newRowWriters();
      const rows = batch.map((record) => rowsOf(record, record.createdAt, { writers }));
      const token = `${organization}-${first}`;
      if (withBodies) {
        await insert(
          'bodies',
          rows.map(({ bodies }) => bodies),
          `${token}-bodies`,
        );
      }
      await insert(
        'requests',
        rows.map(({ request }) => request),
        `${token}-requests`,
      );
      if (organization === tenant) ids.push(...batch.filter((_, index) => index % 500 === 0).map(({ requestId }) => requestId));
      if ((first / batchRows) % 20 === 19) progress(`stored ${first + batch.length} of ${count}`);
    }
  }
  return ids;
}

const maxMergeMs = 120_000;

/** Waits until the engine has nothing more to merge. */
export async function untilMerged(connections: Connections): Promise<void> {
  const end = performance.now() + maxMergeMs;
  for (let quiet = 0; quiet < 5 && performance.now() < end;) {
    const merges = await connections.run('short', async (client) =>
      (await client.query({ query: 'SELECT count() AS merges FROM system.merges', format: 'JSONEachRow' })).json<{
        merges: number | string;
      }>(),
    );
    quiet = Number(merges[0]?.merges) === 0 ? quiet + 1 : 0;
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
  }
}
