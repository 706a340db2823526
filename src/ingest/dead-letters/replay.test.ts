import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frameKinds } from '../../model/record/exchange.ts';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import { systemClock } from '../../platform/clock.ts';
import { type CheckpointFile, openCheckpointFile } from '../../spool/checkpoint.ts';
import { writeAtomicSeries } from '../../spool/import-series.ts';
import type { ReplayPorts } from './replay.ts';
import { DeadLetters } from './store.ts';
import { type IngestRig, openRig, refusedIfChanged, SpoolRig, until, written } from '../testing/ingest-harness.ts';
import { openReplay } from '../testing/replay-harness.ts';
import type { TestInterpret } from '../testing/spent-rows.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const refuses =
  (reason: string): TestInterpret =>
  async (tasks) =>
    tasks.map(() => ({ failure: reason }));

const throws = (sentence: string) => (): never => {
  throw new Error(sentence);
};

/** A spool whose exchanges have all become dead letters, each with a property that was set on its way. */
async function deadSpool(
  count: number,
  { interpret = refuses('not understood'), checkpointIn = openCheckpointFile } = {},
): Promise<{ readonly spool: SpoolRig; readonly ids: readonly RequestId[] }> {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const { drain, changer } = await spool.openCore({ interpret, checkpoint: checkpointIn(spool.folder) });
  const ids: RequestId[] = [];
  for (let index = 0; index < count; index += 1) {
    const stream = writer.newStream();
    const id = spool.writeOpen(writer, stream);
    await written(writer);
    await changer.change(spool.principal, id, { kind: 'property', values: new Map([['Late', String(index)]]) });
    spool.writeRest(writer, stream, {});
    ids.push(id);
  }
  await written(writer);
  await spool.killWriter(writer);
  drain.start();
  await drain.stop(10_000);
  expect((await spool.storedIds()).requests).toEqual([]);
  return { spool, ids: ids.toSorted() };
}

/** A checkpoint file for which the disk has no room when a batch is accepted for the first time. */
function fullOnce(folder: string): CheckpointFile {
  const file = openCheckpointFile(folder);
  let failures = 0;
  return {
    load: file.load,
    save: (checkpoint) => {
      if (checkpoint.intended === undefined && failures++ === 0) throw new Error('no space left on device');
      file.save(checkpoint);
    },
  };
}

async function expectStoredOnce(spool: SpoolRig, ids: readonly RequestId[]): Promise<void> {
  expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  expect(new Set((await spool.rows()).map(({ properties }) => properties['Late']))).toEqual(new Set(ids.map((_, index) => String(index))));
  const history = await spool.read('SELECT name FROM changes WHERE org_id = {tenant:UInt128}');
  expect(history).toHaveLength(ids.length);
}

describe('a replayed dead letter is stored once, with its changes', () => {
  test('when nothing goes wrong; then there are no letters and nothing of them in the spool', async () => {
    const { spool, ids } = await deadSpool(3);
    const { drain, replay, names, letters } = await openReplay(spool);
    drain.start();
    expect(await replay.replay([...names, 'none'])).toEqual(
      expect.arrayContaining([{ id: 'none', outcome: 'unknown' }, ...names.map((id) => ({ id, outcome: 'stored' }))]),
    );
    await until(() => Object.keys(spool.segments()).length === 0);
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
    expect(letters.count()).toBe(0);
    expect(spool.observations).toContainEqual({ kind: 'dead_letters_replayed', stored: 3, failed: 0 });
  });

  test('when the store had their bodies and history and refused the last row; of others nothing goes', async () => {
    const { spool, ids } = await deadSpool(2, { interpret: refusedIfChanged });
    const other = await spool.write(spool.openWriter());
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: [other], bodies: [...ids, other].toSorted() });
    const { drain, replay, names, letters } = await openReplay(spool);
    await rig.store.removeOrphans([{ organizationId: spool.organizationId, requestId: other }], new AbortController().signal);
    expect((await spool.storedIds()).bodies).toContain(other);
    drain.start();
    expect((await replay.replay(names)).map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    await drain.stop(10_000);
    const all = [...ids, other].toSorted();
    expect(await spool.storedIds()).toEqual({ requests: all, bodies: all });
    expect(await spool.read('SELECT name FROM changes WHERE org_id = {tenant:UInt128}')).toHaveLength(ids.length);
    expect(letters.count()).toBe(0);
  });

  test('when two ask at once', async () => {
    const { spool, ids } = await deadSpool(2);
    const { drain, replay, names } = await openReplay(spool);
    drain.start();
    const [first, second] = await Promise.all([replay.replay(names), replay.replay(names)]);
    expect(first.map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    expect(second.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });

  test('when a backup copies the spool meanwhile: it waits for that', async () => {
    const { spool, ids } = await deadSpool(1);
    const { drain, names, replay } = await openReplay(spool);
    drain.start();
    let replayed: Promise<unknown> | undefined;
    await replay.runExclusively(async () => {
      replayed = replay.replay(names);
      await drain.catchUp();
      expect(drain.inFlight.find(spool.organizationId, ids[0] as RequestId)).toBeUndefined();
      expect(spool.segments()).toEqual({});
    });
    await replayed;
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });

  test('when there was no room for the checkpoint once they were kept', async () => {
    const { spool, ids } = await deadSpool(2, { checkpointIn: fullOnce });
    expect(spool.observations).toContainEqual(expect.objectContaining({ kind: 'batch_failed', reason: 'no space left on device' }));
    const { drain, replay, names } = await openReplay(spool);
    drain.start();
    expect((await replay.replay(names)).map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });

  test('when the core dies before the letters are in the spool', async () => {
    const { spool, ids } = await deadSpool(2);
    const first = await openReplay(spool, {}, { writeSeries: throws('the process is dead') });
    await expect(first.replay.replay(first.names)).rejects.toThrow('the process is dead');
    await first.drain.stop(0);
    expect(await waitingFor(ids)).toBe(2);
    const { drain, replay, names } = await openReplay(spool);
    drain.start();
    expect((await replay.replay(names)).map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });

  test('when the core dies once they are in the spool: the next replay only removes the letters', async () => {
    const { spool, ids } = await deadSpool(2);
    const first = await openReplay(spool, {}, { waitMs: 1 });
    expect((await first.replay.replay(first.names)).map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting']);
    await first.drain.stop(0);
    const second = await openReplay(spool);
    // Not stored yet: they are on their way, and do not go into the spool a second time.
    expect((await second.replay.replay(second.names)).map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting']);
    second.drain.start();
    await second.drain.stop(10_000);
    const third = await openReplay(spool);
    third.drain.start();
    expect((await third.replay.replay(third.names)).map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    await third.drain.stop(10_000);
    await expectStoredOnce(spool, ids);
    expect(third.letters.count()).toBe(0);
  });
});

describe('a letter that fails again stays', () => {
  test('while its changes, which are in it, cannot be forgotten: a replay would take them for its own, and they would go', async () => {
    const { spool, ids } = await deadSpool(1);
    const { drain, names, replay } = await openReplay(spool, {}, { forgetSpent: async () => false });
    drain.start();
    await expect(replay.replay(names)).rejects.toThrow('cannot be written just now');
    await drain.stop(10_000);
    expect((await spool.deadLetters()).map(({ requestId }) => requestId)).toEqual(ids);
    expect(spool.segments()).toEqual({});
  });

  test('with its new reason and its changes', async () => {
    const { spool, ids } = await deadSpool(1);
    const again = await openReplay(spool, { interpret: refuses('still not understood') });
    again.drain.start();
    expect(await again.replay.replay(again.names)).toEqual([{ id: again.names[0], outcome: 'failed', reason: 'still not understood' }]);
    await again.drain.stop(10_000);
    expect(again.letters.list({ limit: 10 }).letters).toMatchObject([{ id: again.names[0], reason: 'still not understood' }]);
    const { drain, replay, names } = await openReplay(spool);
    drain.start();
    await replay.replay(names);
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });

  test('out of the spool, when nothing says whose exchange it was', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    writer.append(writer.newStream(), frameKinds.open, 'garbage');
    await spool.killWriter(writer);
    await spool.drainAll();
    const { replay, names, letters, drain } = await openReplay(spool);
    const [outcome] = await replay.replay(names);
    expect(outcome).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('JSON') as unknown });
    expect(spool.segments()).toEqual({});
    expect(letters.count()).toBe(1);
    await drain.stop(0);
  });

  test('as it is while the store cannot say whether it has the request', async () => {
    const { spool } = await deadSpool(1);
    const { replay, names, letters, drain } = await openReplay(spool, {}, { locate: throws('the store is away') });
    await expect(replay.replay(names)).rejects.toThrow('the store is away');
    expect(letters.list({ limit: 1 }).letters).toMatchObject([{ reason: 'not understood' }]);
    await drain.stop(0);
  });
});

/** How many changes the metadata database holds for these requests. */
async function waitingFor(ids: readonly RequestId[]): Promise<number> {
  return (await rig.database.queries.selectFrom('pending_changes').select('seq').where('request_id', 'in', ids).execute()).length;
}

describe('changes of a replay that was cut', () => {
  test('wait on when its letters are in the spool all the same', async () => {
    const { spool, ids } = await deadSpool(2);
    const writeSeries: ReplayPorts['writeSeries'] = (...given) => {
      writeAtomicSeries(spool.folder, ...given);
      throw new Error('the folder cannot be synced');
    };
    const { replay, names, drain } = await openReplay(spool, {}, { writeSeries });
    await expect(replay.replay(names)).rejects.toThrow('the folder cannot be synced');
    expect(await waitingFor(ids)).toBe(2);
    drain.start();
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });
});

describe('a letter is not stored behind the receipt of an erasure', () => {
  test('when it goes after it was read: it stays out of the spool, and its changes with it', async () => {
    const { spool, ids } = await deadSpool(2);
    const pendingChanges = await spool.openPendingChanges();
    const [gone, left] = new DeadLetters(spool.deadLetterFolder, systemClock.now).list({ limit: 2 }).letters;
    if (gone === undefined || left === undefined) throw new Error('there are two');
    const appendMissing: typeof pendingChanges.appendMissing = async (accepted) => {
      await pendingChanges.appendMissing(accepted);
      rmSync(path.join(spool.deadLetterFolder, `${gone.id}.letter`));
    };
    const { drain, replay, names } = await openReplay(spool, { pendingChanges }, { pendingChanges: { ...pendingChanges, appendMissing } });
    drain.start();
    expect(await replay.replay(names)).toEqual([
      { id: gone.id, outcome: 'unknown' },
      { id: left.id, outcome: 'stored' },
    ]);
    await drain.stop(10_000);
    expect(await spool.storedIds()).toEqual({ requests: [left.requestId], bodies: [left.requestId] });
    expect(await waitingFor(ids)).toBe(0);
  });

  test('while a user of its organisation is being erased: it waits for another replay', async () => {
    const { spool, ids } = await deadSpool(2);
    const erasing = new Set([spool.organizationId]);
    const { drain, replay, names, letters } = await openReplay(spool, {}, { isErasing: (organizationId) => erasing.has(organizationId) });
    drain.start();
    expect((await replay.replay(names)).map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    expect([spool.segments(), letters.count(), await waitingFor(ids)]).toEqual([{}, 2, 0]);
    erasing.clear();
    expect((await replay.replay(names)).map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    await drain.stop(10_000);
    await expectStoredOnce(spool, ids);
  });
});

describe('letters', () => {
  test('are pages, the latest requests first, of all or of those whose reason holds a text', async () => {
    const { spool } = await deadSpool(5);
    const letters = new DeadLetters(spool.deadLetterFolder, systemClock.now);
    const all = letters.list({ limit: 10 }).letters;
    expect(all.map(({ openedAt }) => openedAt)).toEqual(all.map(({ openedAt }) => openedAt).toSorted((one, other) => other - one));
    const first = letters.list({ limit: 3 });
    const second = letters.list({ limit: 3, after: first.next ?? '' });
    expect([...first.letters, ...second.letters]).toEqual(all);
    expect(second.next).toBeNull();
    letters.updateReason(all[4]?.id ?? '', 'another reason');
    expect(letters.list({ limit: 10, reason: 'another' }).letters).toMatchObject([{ id: all[4]?.id }]);
    expect(letters.count()).toBe(5);
  });

  test('that a crash writes twice are one', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    await spool.write(writer);
    for (const dies of [true, false]) {
      let kept = 0;
      const letters = new DeadLetters(spool.deadLetterFolder, systemClock.now);
      const drain = await spool.openDrain({
        interpret: refuses('no'),
        deadLetters: {
          keep: (letter) => {
            letters.keep(letter);
            kept += 1;
            if (dies) throw new Error('the process is dead');
          },
        },
      });
      drain.start();
      await until(() => kept > 0);
      await drain.stop(dies ? 0 : 10_000);
    }
    expect(await spool.deadLetters()).toHaveLength(1);
  });

  test('of age go, then the oldest while there are too many bytes; a damaged one is shown as such', async () => {
    const { spool } = await deadSpool(4);
    const { letters, replay } = await openReplay(spool);
    const files = readdirSync(spool.deadLetterFolder)
      .toSorted()
      .map((name) => path.join(spool.deadLetterFolder, name));
    for (const [index, file] of files.entries()) utimesSync(file, 1000 + index, 1000 + index);
    const size = statSync(files[0] ?? '').size;
    expect(await replay.prune(1_001_000, size * 2 + 10)).toEqual({ expired: 1, crowdedOut: 1 });
    expect(readdirSync(spool.deadLetterFolder)).toEqual(files.slice(2).map((file) => path.basename(file)));
    writeFileSync(files[3] ?? '', 'x');
    expect(letters.list({ limit: 10 }).letters[0]?.reason).toContain('damaged');
    mkdirSync(path.join(spool.deadLetterFolder, 'folder'));
    expect(await replay.prune(Number.MAX_SAFE_INTEGER, 0)).toEqual({ expired: 2, crowdedOut: 0 });
  });

  test('of age go with what the store has of them, and not while their request is on its way', async () => {
    const { spool, ids } = await deadSpool(2, { interpret: refusedIfChanged });
    expect((await spool.storedIds()).bodies).toEqual(ids);
    const [inFlight = '', gone] = ids;
    const { replay } = await openReplay(spool, {}, { inFlightOf: async () => [inFlight as RequestId] });
    expect(await replay.prune(Number.MAX_SAFE_INTEGER, 0)).toEqual({ expired: 1, crowdedOut: 0 });
    expect((await spool.deadLetters()).map(({ requestId }) => requestId)).toEqual([inFlight]);
    expect((await spool.storedIds()).bodies).toEqual([inFlight]);
    expect(gone).toBeDefined();
  });

  test('of age go although the store has no room to remove what it has of some: those stay', async () => {
    const { spool, ids } = await deadSpool(3);
    const [full = ''] = ids;
    const { replay } = await openReplay(
      spool,
      {},
      {
        removeOrphans: async (heads) => {
          const isRefused = heads.some(({ requestId }) => requestId === full);
          if (isRefused) throw new GatelogError('store_unavailable', 'The disk of the store is full.');
        },
      },
    );
    const pruned = await replay.prune(Number.MAX_SAFE_INTEGER, 0);
    expect(pruned).toMatchObject({ expired: 2, crowdedOut: 0, failure: { message: 'The disk of the store is full.' } });
    expect((await spool.deadLetters()).map(({ requestId }) => requestId)).toEqual([full]);
  });
});
