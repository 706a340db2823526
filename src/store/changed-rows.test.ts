import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import { moneyOfUnits } from '../model/pricing/money.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import { empty, idAt } from '../query/testing/query-harness.ts';
import { select } from '../sql/query.ts';
import { type Fragment, param, sql } from '../sql/sql.ts';
import { statementFor } from '../sql/statement.ts';
import { requests } from '../sql/tables.ts';
import type { ChangeLog, StoredRow } from './read/change-log.ts';
import { rowsOf } from './insert/rows.ts';
import { openStore, type Store } from './store.ts';
import { makeEmptyStore } from './testing/empty-store.ts';

const noon = Date.parse('2026-01-15T12:00:00Z');
const { organizationId } = empty;
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-changed-'));

/** Remembers what is written down, and what was already changed by then. */
class RecordingLog implements ChangeLog {
  isFull = false;
  written: StoredRow[] = [];
  changedBefore: number | undefined;

  isWatched(): boolean {
    return true;
  }

  async during<Result>(_organizationId: OrganizationId, rows: readonly StoredRow[], write: () => Promise<Result>): Promise<Result> {
    if (this.isFull) throw new GatelogError('events_unavailable', 'The log is full.');
    this.written.push(...rows);
    this.changedBefore = await countChanged();
    return write();
  }
}

const log = new RecordingLog();
let told: number[] = [];
let isWatchBroken = false;
let toldLater: (number | undefined)[] = [];
let store: Store;
let session = 0;

beforeAll(async () => {
  const place = path.join(folder, 'store');
  await makeEmptyStore(place);
  store = openStore({ folder: place }, { queryTimeoutMs: 20_000, queryMemoryBytes: 1e9, changeLog: log });
  store.rowChanges.watch((_organization, createdAt) => {
    if (isWatchBroken) throw new Error('the watch is broken');
    toldLater.push(createdAt);
  });
  store.rowChanges.watch((_organization, createdAt) => void told.push(createdAt ?? -1));
});
afterEach(() => {
  log.isFull = false;
  isWatchBroken = false;
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const ofSession = (): Fragment => sql`session_id = ${param(`session ${session}`, 'String')}`;

/** Requests of the session that have what the writes below set. */
async function countChanged(): Promise<number> {
  const isChanged = sql`(properties['Team'] = 'a' OR cost IS NOT NULL)`;
  const query = select({ columns: sql`count() AS total`, from: requests([ofSession(), isChanged]) });
  const [row] = await store.run<{ readonly total: string }>(statementFor(organizationId, query, 'short'));
  return Number(row?.total);
}

/** Stores the requests of another session. */
async function stored(count: number): Promise<readonly StoredRow[]> {
  session += 1;
  const rows = Array.from({ length: count }, (_, index) => {
    const createdAt = noon + session * 1000 + index;
    return { requestId: idAt(createdAt, 1), createdAt };
  });
  const records = rows.map((row) => rowsOf({ ...empty, ...row, sessionId: `session ${session}` }, noon).request);
  await store.insert('requests', records, `requests-${session}`);
  [log.written, told, toldLater] = [[], [], []];
  return rows;
}

const values = new Map([['Team', 'a']]);
const stamp = () => ({ organizationId, keyId: 'key', acceptedAt: noon, number: session });
const cost = { cost: moneyOfUnits(1n), costSource: 'price-book', priceReference: '', appliedPrice: '' } as const;

async function changeOne({ requestId, createdAt }: StoredRow): Promise<boolean> {
  return store.changeStored({ accepted: { ...stamp(), requestId, change: { kind: 'property', values } }, createdAt });
}

/** Ways to change the stored requests of the session. */
const writes: readonly (readonly [name: string, write: (rows: readonly StoredRow[]) => Promise<unknown>])[] = [
  ['each by itself', (rows) => Promise.all(rows.map(changeOne))],
  ['as a session', () => store.changeStoredSession.update({ ...stamp(), sessionId: `session ${session}`, values })],
  [
    'as a chunk of a job',
    async () => {
      const job = { organizationId, number: session, startedAt: noon + 1e9, keyId: 'key', change: { targets: values } };
      await store.jobLists.list(job, requests([ofSession()]));
      return store.changeNext(job, null);
    },
  ],
  [
    'in their costs',
    (rows) => store.changeStoredCosts({ ...stamp(), changes: rows.map((row) => ({ ...row, number: session, before: null, after: cost })) }),
  ],
];

const idsOf = (rows: readonly StoredRow[]): readonly RequestId[] => rows.map(({ requestId }) => requestId).toSorted();

describe.each(writes)('requests that are changed %s', (_name, write) => {
  it('are written down before they are changed, and told when they have been', async () => {
    const rows = await stored(3);
    await write(rows);
    expect(log.changedBefore).toBe(0);
    expect(idsOf(log.written)).toEqual(idsOf(rows));
    expect(await countChanged()).toBe(3);
    expect(told.length).toBeGreaterThan(0);
  });

  it('stay as they are where they cannot be written down', async () => {
    const rows = await stored(2);
    log.isFull = true;
    await expect(write(rows)).rejects.toMatchObject({ code: 'events_unavailable' });
    expect(await countChanged()).toBe(0);
  });

  it('stay changed, and that is acknowledged, where telling fails; who was not told is told with the next change', async () => {
    const rows = await stored(2);
    isWatchBroken = true;
    await write(rows);
    expect(await countChanged()).toBe(2);
    expect(told.length).toBeGreaterThan(0);
    expect(toldLater).toEqual([]);
    isWatchBroken = false;
    await Promise.all(rows.slice(0, 1).map(changeOne));
    // Any row of the organisation may have changed.
    expect(toldLater).toContain(undefined);
  });
});
