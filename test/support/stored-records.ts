import type { ChangeItem } from '../../src/contract/requests/changes.ts';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { type ApiClient, apiClient } from './api.ts';
import { eventually } from './eventually.ts';

/** The part of a stored record that is compared with what its client received. */
export interface StoredRecord {
  readonly id: string;
  readonly status: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly cost: number | null;
  readonly cached: boolean;
  /** The record says that a body is cut. */
  readonly cut: boolean;
}

const pageRows = 1000;

export async function readRecords(api: string): Promise<StoredRecord[]> {
  const client = apiClient(api);
  const records: StoredRecord[] = [];
  for (let cursor: string | undefined; ;) {
    const at = cursor;
    const page = await eventually('a page of records', async () => readPage(client, at), 60_000);
    records.push(...page.records);
    cursor = page.next;
    if (cursor === undefined) return records;
  }
}

async function readPage(
  client: ApiClient,
  cursor: string | undefined,
): Promise<{ records: StoredRecord[]; next: string | undefined } | undefined> {
  const body = { filter: 'all', limit: pageRows, ...(cursor === undefined ? {} : { cursor }) };
  const answer = await client.call<readonly RequestItem[]>('POST', '/v1/request/query-clickhouse', body);
  if (answer.status !== 200) return undefined;
  return { records: answer.body.data.map(recordOf), next: answer.headers.get('svc-next-cursor') ?? undefined };
}

function recordOf(item: RequestItem): StoredRecord {
  return {
    id: item.request_id,
    status: item.response_status,
    properties: item.properties,
    cost: item.cost,
    cached: item.cached,
    cut: item.request_body_cut || item.response_body_cut,
  };
}

/** Waits until all these identifiers are stored, or until nothing new has come for half a minute. @returns the records of that moment. */
export async function recordsOnceStored(api: string, ids: readonly string[]): Promise<StoredRecord[]> {
  let [records, cameAt] = [await readRecords(api), performance.now()];
  const areAllThere = (): boolean => {
    const stored = new Set(records.map(({ id }) => id));
    return ids.every((id) => stored.has(id));
  };
  for (;;) {
    if (areAllThere() || performance.now() - cameAt > 30_000) return records;
    const more = await eventually(
      'more records',
      async () => (((await readCount(api)) ?? 0) > records.length ? true : undefined),
      5000,
    ).catch(() => false);
    if (!more) continue;
    [records, cameAt] = [await readRecords(api), performance.now()];
  }
}

/** Number of records; undefined while the store does not respond. */
export async function readCount(api: string): Promise<number | undefined> {
  const answer = await apiClient(api).call<number>('POST', '/v1/request/count/query', { filter: 'all' });
  return answer.status === 200 ? answer.body.data : undefined;
}

/** Undefined while the API is too busy to respond. */
async function readHistory(client: ApiClient, id: string): Promise<readonly ChangeItem[] | undefined> {
  const { status, body } = await client.call<readonly ChangeItem[]>('GET', `/v1/request/${id}/changes?limit=1000`);
  if (status === 404) return [];
  return status === 200 ? body.data : undefined;
}

const readersAtOnce = 6;

/** Histories of requests by identifier. */
export async function readHistories(api: string, ids: Iterable<string>): Promise<ReadonlyMap<string, readonly ChangeItem[]>> {
  const client = apiClient(api);
  const histories = new Map<string, readonly ChangeItem[]>();
  const left = [...new Set(ids)];
  const reader = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      histories.set(id, await eventually(`the history of ${id}`, async () => readHistory(client, id), 60_000));
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, reader));
  return histories;
}
