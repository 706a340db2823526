import path from 'node:path';
import type { OrganizationId } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { makeInsertRows } from '../../src/store/insert/insert.ts';
import { rowsOf } from '../../src/store/insert/rows.ts';
import { migrateStore } from '../../src/store/schema/migrate.ts';
import { gatelog } from './command.ts';
import { startService } from './process-tree.ts';

/** The store in a data folder. */
export const storeFolder = 'clickhouse';
const batch = 5000;

/** Makes a data folder with its organisation and key. @returns the organisation. */
export async function makeOrganization(dataDir: string): Promise<OrganizationId> {
  const service = await startService({ dataDir });
  await service.stop();
  return /^(\S+) .* default$/m.exec((await gatelog(dataDir, 'orgs', 'list')).stdout)?.[1] as OrganizationId;
}

/** Writes records without their bodies straight into the store of a data folder, whose service does not run. */
export async function fillStore(dataDir: string, count: number, recordAt: (number: number) => RequestRecord): Promise<void> {
  const connections = openConnections({ folder: path.join(dataDir, storeFolder) });
  await migrateStore(connections, () => undefined);
  const insert = makeInsertRows(connections);
  for (let start = 0; start < count; start += batch) {
    const length = Math.min(batch, count - start);
    const rows = Array.from({ length }, (_, index) => rowsOf(recordAt(start + index), Date.now()).request);
    await insert('requests', rows, `filled-${start}`);
  }
  await connections.close();
}
