import path from 'node:path';
import { recordAt } from '../../bench/query/records.ts';
import type { OrganizationId, RequestId } from '../../src/model/ids.ts';
import type { RequestRecord } from '../../src/model/record/request-record.ts';
import { openStore } from '../../src/store/store.ts';
import { rowsOf } from '../../src/store/insert/rows.ts';
import { gatelog } from './command.ts';
import { metadataRow } from './metadata-row.ts';

/** An organisation with its own records. */
export interface Tenant {
  readonly key: string;
  readonly organizationId: OrganizationId;
  /** Some of its requests. */
  readonly requestIds: readonly RequestId[];
}

export interface FairnessStore {
  /** Has many records, some with bodies of half a megabyte. */
  readonly greedy: Tenant;
  /** Has few records. */
  readonly modest: Tenant;
}

const batchRows = 2500;
const modestRecords = 1000;
const largeBodies = 60;
const largeBytes = 512 * 1024;
const knownIds = 200;

/** Creates two organisations in the data folder of a stopped service, and stores this number of records for the greedy one. */
export async function makeFairnessStore(dataDir: string, records: number, progress: (line: string) => void): Promise<FairnessStore> {
  const [greedy, modest] = [await addTenant(dataDir, 'greedy'), await addTenant(dataDir, 'modest')];
  const store = openStore({ folder: path.join(dataDir, 'clickhouse') }, { queryTimeoutMs: 30_000, queryMemoryBytes: 2 ** 31 });
  await store.migrate(() => undefined);
  const insert = async (token: string, some: readonly RequestRecord[]): Promise<void> => {
    const rows = some.map((record) => rowsOf(record, record.createdAt));
    await store.insert('bodies', rows.map(({ bodies }) => bodies), `${token}-bodies`); // prettier-ignore
    await store.insert('requests', rows.map(({ request }) => request), `${token}-requests`); // prettier-ignore
  };
  const fill = async ({ organizationId }: Omit<Tenant, 'requestIds'>, count: number): Promise<RequestId[]> => {
    const ids: RequestId[] = [];
    for (let first = 0; first < count; first += batchRows) {
      const size = Math.min(batchRows, count - first);
      const some = Array.from({ length: size }, (_, index) => recordAt(first + index, count, organizationId));
      await insert(`${organizationId}-${first}`, some);
      ids.push(...some.map(({ requestId }) => requestId));
      if ((first / batchRows) % 20 === 19) progress(`${first + size} records of ${count} are stored`);
    }
    const every = Math.max(1, Math.floor(ids.length / knownIds));
    return ids.filter((_, index) => index % every === 0);
  };
  const greedyIds = await fill(greedy, records);
  const modestIds = await fill(modest, modestRecords);
  await insert(
    'large',
    Array.from({ length: largeBodies }, (_, index) => largeRecord(records + index, greedy.organizationId)),
  );
  await store.close();
  return { greedy: { ...greedy, requestIds: greedyIds }, modest: { ...modest, requestIds: modestIds } };
}

/** A record with a large body, newer than the others. */
function largeRecord(number: number, organizationId: OrganizationId): RequestRecord {
  const record = recordAt(number, number + 1, organizationId);
  const text = JSON.stringify({ text: `${number} `.repeat(largeBytes / 8) });
  return { ...record, requestBody: { kind: 'json', text }, sizeBytes: text.length };
}

async function addTenant(dataDir: string, name: string): Promise<Omit<Tenant, 'requestIds'>> {
  await outputOf(dataDir, 'orgs', 'create', name);
  const key = /sk-svc-\S+/.exec(await outputOf(dataDir, 'keys', 'create', '--org', name))?.[0];
  const row = metadataRow(dataDir, `SELECT id FROM organizations WHERE name = '${name}'`) as { readonly id: OrganizationId } | undefined;
  if (key === undefined || row === undefined) throw new Error(`The organisation ${name} was not made.`);
  return { key, organizationId: row.id };
}

async function outputOf(dataDir: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await gatelog(dataDir, ...words);
  if (code !== 0) throw new Error(`gatelog ${words.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}
