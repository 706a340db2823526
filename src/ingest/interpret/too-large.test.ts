import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import { systemClock } from '../../platform/clock.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import type { RecordTable } from '../../store/insert/rows.ts';
import { DeadLetters } from '../dead-letters/store.ts';
import { type IngestRig, openRig, SpoolRig, until } from '../testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

async function writeSome(spool: SpoolRig, count: number): Promise<RequestId[]> {
  const writer = spool.openWriter();
  const ids: RequestId[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await spool.write(writer));
  return ids.toSorted();
}

/** A store that has memory for so many rows of a table at once. */
function roomFor(most: number, table: RecordTable): InsertRows {
  return async (into, rows, token) => {
    if (into === table && rows.length > most) throw new RangeError('Invalid string length');
    await rig.store.insert(into, rows, token);
  };
}

/** A life that writes its batch down, and then finds the store away. */
async function beginBatch(spool: SpoolRig): Promise<void> {
  const drain = await spool.openDrain({ insert: () => Promise.reject(new GatelogError('store_unavailable', 'away')) });
  drain.start();
  await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
  await drain.stop(0);
  expect(openCheckpointFile(spool.folder).load().intended).toBeDefined();
}

/** A life that stores its batch, and dies before that is written down. */
async function storeAndDie(spool: SpoolRig, insert?: InsertRows): Promise<void> {
  const { load, save } = openCheckpointFile(spool.folder);
  let deaths = 0;
  const checkpoint = {
    load,
    save: (next: Parameters<typeof save>[0]): void => {
      if (next.lastBatch > load().lastBatch) {
        deaths += 1;
        throw new Error('the process is dead');
      }
      save(next);
    },
  };
  const drain = await spool.openDrain({ checkpoint, ...(insert === undefined ? {} : { insert }) });
  drain.start();
  await until(() => deaths > 0);
  await drain.stop(0);
}

describe('what is more than the store takes at once', () => {
  test.each(['bodies', 'requests'] as const)(
    'in a batch that was begun before a crash is stored by halves, each once: %s',
    async (table) => {
      const spool = new SpoolRig(rig);
      const ids = await writeSome(spool, 6);
      await beginBatch(spool);
      await spool.drainAll({ insert: roomFor(2, table) });
      expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
      expect(await spool.deadLetters()).toEqual([]);
    },
  );

  test('when its bodies are stored already is stored by halves, each once', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 5);
    await spool.drainAll({ insert: roomFor(2, 'requests') });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('and the store has it from before a crash is not stored again', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 6);
    await storeAndDie(spool);
    await spool.drainAll({ insert: roomFor(2, 'bodies') });
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('and was stored by halves before another crash is not stored again once there is room for the whole', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 6);
    await beginBatch(spool);
    await storeAndDie(spool, roomFor(4, 'bodies'));
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: ids, bodies: ids });
  });

  test('although it is one exchange becomes a dead letter, also when the letter could not be written at first', async () => {
    const spool = new SpoolRig(rig);
    const [id] = await writeSome(spool, 1);
    let failures = 0;
    const drain = await spool.openDrain({
      insert: roomFor(0, 'bodies'),
      deadLetters: {
        keep: (letter) => {
          failures += 1;
          if (failures === 1) throw new Error('no space left on the device');
          new DeadLetters(spool.deadLetterFolder, systemClock.now).keep(letter);
        },
      },
    });
    drain.start();
    await until(() => failures > 1);
    await drain.stop(10_000);
    expect(await spool.deadLetters()).toMatchObject([{ requestId: id }]);
    expect(await spool.storedIds()).toEqual({ requests: [], bodies: [] });
    const later = await writeSome(spool, 2);
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual(later);
  });
});
