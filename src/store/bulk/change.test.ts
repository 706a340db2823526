import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import type { ListedRequest, TargetValues } from '../../model/jobs/job.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { requestPropertyLimits } from '../../model/vocabulary/limits.ts';
import { empty } from '../../query/testing/query-harness.ts';
import { requests } from '../../sql/tables.ts';
import { makeEraseStored } from '../delete/erasure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { rowsOf } from '../insert/rows.ts';
import { openStoreRig, type StoreRig } from '../testing/store-harness.ts';
import { PendingPatches } from '../update/pending-patches.ts';
import { type BulkJob, type ChunkLimits, type ChunkResult, makeChangeNext } from './change.ts';
import { makeJobLists } from './job-lists.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(() => rig.close());

const noon = Date.parse('2026-01-15T12:00:00Z');
const lists = () => makeJobLists(rig.connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 1e9 });
let made = 0;

interface Given {
  readonly userId?: string;
  readonly properties: ReadonlyMap<string, string>;
}

/** A job over requests of an organisation of its own. */
async function listedJob(
  given: readonly Given[],
  targets: TargetValues,
): Promise<{ readonly job: BulkJob; readonly ids: readonly RequestId[] }> {
  const organizationId: OrganizationId = newId();
  made += 1;
  const ids = given.map((_, index) => newId(noon + index));
  const rows = given.map(
    ({ userId = '', properties }, index) =>
      rowsOf({ ...empty, organizationId, requestId: ids[index] ?? newId(), createdAt: noon + index, userId, properties }, noon).request,
  );
  await makeInsertRows(rig.connections)('requests', rows, `job-${made}`);
  const job = { organizationId, number: made, startedAt: noon + 1000, keyId: 'key', change: { targets } };
  expect(await lists().list(job, requests())).toBe(given.length);
  return { job, ids };
}

async function changeAll(job: BulkJob, limits: ChunkLimits): Promise<readonly ChunkResult[]> {
  const changeNext = makeChangeNext(rig.connections, new PendingPatches(), limits);
  const chunks: ChunkResult[] = [];
  for (let after: ListedRequest | null = null; ;) {
    const chunk = await changeNext(job, after);
    if (chunk.reached === null) return chunks;
    chunks.push(chunk);
    after = chunk.reached;
  }
}

const none = { changed: 0, unchanged: 0, changed_since: 0, refused: 0, gone: 0 };
const limits: ChunkLimits = { requests: 100, bytes: 1e6 };

describe('a chunk of a bulk change', () => {
  it('counts what was erased since the list was made, and the list has it no more', async () => {
    const { job, ids } = await listedJob(
      ['ann', 'bob', 'ann'].map((userId) => ({ userId, properties: new Map() })),
      new Map([['Team', 'a']]),
    );
    const erasure = { number: 1, organizationId: job.organizationId, userId: 'ann', erasedAt: noon + 1000 };
    const { signal } = new AbortController();
    const store = makeEraseStored(rig.connections);
    await store.list(erasure, signal);
    await store.removeRequests(erasure, signal);
    expect((await changeAll(job, limits)).map(({ outcomes }) => outcomes)).toEqual([{ ...none, changed: 1, gone: 2 }]);
    await store.removeRest(erasure, signal);
    const left = `SELECT UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id FROM job_requests WHERE job = ${job.number}`;
    expect(await rig.run(left)).toEqual([{ id: ids[1] }]);
    const history = `SELECT UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id FROM changes WHERE number = ${job.number}`;
    expect(await rig.run(history)).toEqual([{ id: ids[1] }]);
  });

  it('leaves a request alone that would get too many properties, and changes the others', async () => {
    const full = new Map(Array.from({ length: requestPropertyLimits.properties }, (_, index) => [`name-${index}`, 'x'] as const));
    const { job } = await listedJob([{ properties: full }, { properties: new Map() }], new Map([['One more', 'x']]));
    expect((await changeAll(job, limits)).map(({ outcomes }) => outcomes)).toEqual([{ ...none, changed: 1, refused: 1 }]);
  });

  it('holds as many requests as it may, and fewer when their properties are long', async () => {
    const long = new Map([['Long', 'x'.repeat(4000)]]);
    const { job } = await listedJob(
      [new Map(), new Map(), new Map(), long, long, long].map((properties) => ({ properties })),
      new Map([['Team', 'a']]),
    );
    const chunks = await changeAll(job, { requests: 2, bytes: 5000 });
    expect(chunks.map(({ outcomes }) => outcomes.changed)).toEqual([2, 2, 1, 1]);
  });

  it('does nothing twice', async () => {
    const { job } = await listedJob([{ properties: new Map() }, { properties: new Map([['Team', 'a']]) }], new Map([['Team', 'a']]));
    const [first] = await changeAll(job, limits);
    expect(await changeAll(job, limits)).toEqual([first]);
    expect(await rig.run(`SELECT name, old, new FROM changes WHERE number = ${job.number}`)).toEqual([
      { name: 'Team', old: 'null', new: '"a"' },
    ]);
  });
});

it('lists again for a job whose list was begun before, and drops the list of a job alone', async () => {
  const [one, two] = [await listedJob([{ properties: new Map() }], new Map()), await listedJob([{ properties: new Map() }], new Map())];
  expect(await lists().list(one.job, requests())).toBe(1);
  expect(await lists().numbers()).toEqual(expect.arrayContaining([one.job.number, two.job.number]));
  await lists().drop(one.job.number);
  expect(await lists().numbers()).not.toContain(one.job.number);
  expect(await lists().numbers()).toContain(two.job.number);
});
