import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change, ChangedValue } from '../../model/change.ts';
import { GatelogError } from '../../model/errors.ts';
import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import type { Drain } from '../drain.ts';
import { type IngestRig, makeGate, openRig, SpoolRig, until, written } from '../testing/ingest-harness.ts';
import type { RequestChanges } from './request-changes.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const property = (name: string, value: string): Change => ({ kind: 'property', values: new Map([[name, value]]) });
const score = (name: string, value: number): Change => ({ kind: 'score', values: new Map([[name, value]]) });
const feedback = (rating: boolean): Change => ({ kind: 'feedback', rating });

type Entry = [string, string, ChangedValue | null, ChangedValue];

/** The history of a request, oldest first: kind, name, value before, value after. */
async function historyOf(spool: SpoolRig, id: RequestId): Promise<Entry[]> {
  const rows = await spool.read<{ kind: string; name: string; old: string; new: string }>(
    `SELECT kind, name, old, new FROM changes WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}') ORDER BY number, name`,
  );
  return rows.map((row): Entry => [row.kind, row.name, JSON.parse(row.old) as Entry[2], JSON.parse(row.new) as Entry[3]]);
}

/** How many changes the metadata database holds for a request. */
async function waitingFor(id: RequestId): Promise<number> {
  return (await rig.database.queries.selectFrom('pending_changes').select('seq').where('request_id', '=', id).execute()).length;
}

interface FieldsRow {
  readonly scores: Readonly<Record<string, number>>;
  readonly feedback_rating: boolean | null;
  readonly feedback_number: number | null;
}

async function fieldsOf(spool: SpoolRig, id: RequestId): Promise<readonly FieldsRow[]> {
  return spool.read<FieldsRow>(
    `SELECT scores, feedback_rating, feedback_number FROM requests WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}')`,
  );
}

interface TrackedExchange {
  readonly id: RequestId;
  /** Writes the rest of the exchange. */
  readonly end: () => Promise<void>;
}

async function openExchange(spool: SpoolRig): Promise<TrackedExchange> {
  const writer = spool.openWriter();
  const stream = writer.newStream();
  const id = spool.writeOpen(writer, stream, { tags: { properties: [{ name: 'Team', value: 'tag' }] } });
  await written(writer);
  const end = async (): Promise<void> => {
    spool.writeRest(writer, stream, {});
    await written(writer);
  };
  return { id, end };
}

async function changeAll(spool: SpoolRig, changer: RequestChanges, id: RequestId): Promise<void> {
  for (const change of [property('Team', 'a'), score('s', 0.5), feedback(true), score('s', 1), feedback(false)]) {
    await changer.change(spool.principal, id, change);
  }
}

const allEntries: readonly Entry[] = [
  ['property', 'Team', 'tag', 'a'],
  ['score', 's', null, 0.5],
  ['feedback', 'svc-score-feedback', null, true],
  ['score', 's', 0.5, 1],
  ['feedback', 'svc-score-feedback', true, false],
];
const allFacts = { scores: { s: 1, 'svc-score-feedback': 0 }, feedback_rating: false };

const die = (): Promise<never> => Promise.reject(new Error('the process is dead'));

async function runUntilFailure(spool: SpoolRig, drain: Drain): Promise<void> {
  drain.start();
  await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed' || kind === 'pending_changes_kept'));
  await drain.stop(0);
}

describe('changes of a record on its way', () => {
  test('are in the record, and its history has each once', async () => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const { drain, changer } = await spool.openCore();
    await changeAll(spool, changer, id);
    await end();
    drain.start();
    await drain.stop(10_000);
    expect(await fieldsOf(spool, id)).toMatchObject([allFacts]);
    expect(await historyOf(spool, id)).toEqual(allEntries);
  });

  test('are followed by those of the stored record', async () => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const { drain, changer } = await spool.openCore();
    await changeAll(spool, changer, id);
    await end();
    drain.start();
    await drain.stop(10_000);
    await changer.change(spool.principal, id, score('s', 2));
    await changer.change(spool.principal, id, feedback(true));
    expect(await fieldsOf(spool, id)).toMatchObject([{ scores: { s: 2, 'svc-score-feedback': 1 }, feedback_rating: true }]);
    expect(await historyOf(spool, id)).toEqual([...allEntries, ['score', 's', 1, 2], ['feedback', 'svc-score-feedback', false, true]]);
  });

  test('that come while the record is being stored wait for it, and find what it holds', async () => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const gate = makeGate();
    let storing = false;
    const insert: InsertRows = async (table, rows, token) => {
      storing = true;
      await gate.passed;
      await rig.store.insert(table, rows, token);
    };
    const { drain, changer } = await spool.openCore({ insert });
    await changer.change(spool.principal, id, score('s', 1));
    await end();
    drain.start();
    await until(() => storing);
    const late = [score('s', 2), feedback(true)].map((change) => changer.change(spool.principal, id, change));
    gate.open();
    await Promise.all(late);
    await drain.stop(10_000);
    expect(await fieldsOf(spool, id)).toMatchObject([{ scores: { s: 2, 'svc-score-feedback': 1 }, feedback_rating: true }]);
    expect(await historyOf(spool, id)).toEqual([
      ['score', 's', null, 1],
      ['score', 's', 1, 2],
      ['feedback', 'svc-score-feedback', null, true],
    ]);
  });

  test('each have a number of their own, also within a millisecond, and the record has that of its feedback', async () => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const { drain, changer } = await spool.openCore();
    Object.assign((changer as unknown as { ports: object }).ports, { now: () => 1_700_000_000_000 });
    for (const rating of [true, false, true]) await changer.change(spool.principal, id, feedback(rating));
    await end();
    drain.start();
    await drain.stop(10_000);
    const rows = await spool.read<{ number: number }>('SELECT number FROM changes WHERE org_id = {tenant:UInt128} ORDER BY number');
    const numbers = new Set(rows.map(({ number }) => number));
    expect(numbers.size).toBe(3);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(1_700_000_000_000_000);
    expect(await fieldsOf(spool, id)).toMatchObject([{ feedback_number: Math.max(...numbers) }]);
    expect(await historyOf(spool, id)).toEqual([null, true, false].map((old) => ['feedback', 'svc-score-feedback', old, old !== true]));
  });
});

describe('the history of a batch that is repeated after a crash is written once', () => {
  test('when the ingest died before its checkpoint', async () => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const file = openCheckpointFile(spool.folder);
    const { drain, changer } = await spool.openCore({
      checkpoint: {
        load: file.load,
        save: (checkpoint) => {
          if (checkpoint.intended === undefined) throw new Error('the process is dead');
          file.save(checkpoint);
        },
      },
    });
    await changeAll(spool, changer, id);
    await end();
    await runUntilFailure(spool, drain);
    expect(file.load().intended).toBeDefined();
    expect(await historyOf(spool, id)).toEqual(allEntries);
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject([allFacts]);
    expect(await historyOf(spool, id)).toEqual(allEntries);
  });

  test('when it died before the changes were forgotten', async () => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const pendingChanges = await spool.openPendingChanges();
    const { drain, changer } = await spool.openCore({ pendingChanges: { ...pendingChanges, remove: die } });
    await changeAll(spool, changer, id);
    await end();
    await runUntilFailure(spool, drain);
    expect(await historyOf(spool, id)).toEqual(allEntries);
    // It had written down that the batch is accepted: nobody will ask for its changes again.
    expect(openCheckpointFile(spool.folder).load()).not.toHaveProperty('intended');
    expect(await waitingFor(id)).toBe(allEntries.length);
    await spool.drainAll();
    expect(await waitingFor(id)).toBe(0);
    expect(await fieldsOf(spool, id)).toMatchObject([allFacts]);
    expect(await historyOf(spool, id)).toEqual(allEntries);
  });

  test('while they cannot be forgotten: nothing waits for them, and they go with a later batch', async () => {
    const spool = new SpoolRig(rig);
    const pendingChanges = await spool.openPendingChanges();
    let locked = true;
    const remove: typeof pendingChanges.remove = async (sequences) => (locked ? die() : pendingChanges.remove(sequences));
    const { drain, changer } = await spool.openCore({ pendingChanges: { ...pendingChanges, remove } });
    drain.start();
    const stored = async (): Promise<RequestId> => {
      const { id, end } = await openExchange(spool);
      await changeAll(spool, changer, id);
      await end();
      await until(async () => (await fieldsOf(spool, id)).length === 1);
      return id;
    };
    const spentCount = (): number | undefined => openCheckpointFile(spool.folder).load().spent?.length;
    const ids = [await stored(), await stored()];
    await until(() => spentCount() === 2 * allEntries.length);
    locked = false;
    ids.push(await stored());
    for (const id of ids) {
      await until(async () => (await waitingFor(id)) === 0);
      expect(await historyOf(spool, id)).toEqual(allEntries);
    }
    await drain.stop(10_000);
    expect(spentCount()).toBe(3 * allEntries.length);
  });

  test.each(['changes', 'requests'] as const)('when it died before the insert into %s', async (missing) => {
    const spool = new SpoolRig(rig);
    const { id, end } = await openExchange(spool);
    const insert: InsertRows = async (table, rows, token) => {
      if (table === missing) throw new GatelogError('store_unavailable', 'away');
      await rig.store.insert(table, rows, token);
    };
    const { drain, changer } = await spool.openCore({ insert });
    await changeAll(spool, changer, id);
    await end();
    await runUntilFailure(spool, drain);
    expect(await fieldsOf(spool, id)).toEqual([]);
    expect(await historyOf(spool, id)).toEqual(missing === 'changes' ? [] : allEntries);
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject([allFacts]);
    expect(await historyOf(spool, id)).toEqual(allEntries);
  });
});

test('a change that is acknowledged before the ingest dies is in the record of the next life', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const id = await spool.write(writer, { end: null });
  const { changer } = await spool.openCore();
  await changer.change(spool.principal, id, score('s', 0.25));
  await changer.change(spool.principal, id, feedback(true));
  await spool.killWriter(writer);
  await spool.drainAll();
  expect(await fieldsOf(spool, id)).toMatchObject([{ scores: { s: 0.25, 'svc-score-feedback': 1 }, feedback_rating: true }]);
  expect(await historyOf(spool, id)).toEqual([
    ['score', 's', null, 0.25],
    ['feedback', 'svc-score-feedback', null, true],
  ]);
});

test('concurrent changes of one name of a stored record each find the value that the one before them left', async () => {
  const spool = new SpoolRig(rig);
  const id = await spool.write(spool.openWriter());
  await spool.drainAll();
  const { changer } = await spool.openCore();
  await Promise.all(Array.from({ length: 30 }, (_, index) => changer.change(spool.principal, id, score('s', index))));
  const history = await historyOf(spool, id);
  expect(history.map(([, , , after]) => after).toSorted((left, right) => Number(left) - Number(right))).toEqual(
    Array.from({ length: 30 }, (_, index) => index),
  );
  expect(history.map(([, , old]) => old)).toEqual([null, ...history.slice(0, -1).map(([, , , after]) => after)]);
  expect(await fieldsOf(spool, id)).toMatchObject([{ scores: { s: history.at(-1)?.[3] } }]);
});
