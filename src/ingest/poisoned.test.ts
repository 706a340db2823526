import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatelogError } from '../model/errors.ts';
import { frameKinds } from '../model/record/exchange.ts';
import type { RequestId } from '../model/ids.ts';
import { systemClock } from '../platform/clock.ts';
import { type CheckpointFile, openCheckpointFile } from '../spool/checkpoint.ts';
import type { InsertRows } from '../store/insert/insert.ts';
import { DeadLetters } from './dead-letters/store.ts';
import {
  holdsId,
  type IngestRig,
  interpretDirectly,
  openRig,
  refusedFor,
  refusedIfChanged,
  SpoolRig,
  until,
  written,
} from './testing/ingest-harness.ts';
import { RecordBuilderCrashed } from './worker/record-builder.ts';
import type { TestInterpret } from './testing/spent-rows.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

async function writeGood(spool: SpoolRig, count: number): Promise<RequestId[]> {
  const writer = spool.openWriter();
  const ids: RequestId[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await spool.write(writer));
  return ids;
}

/** Saves of a checkpoint up to that of an accepted batch, in which the process dies. */
function dyingAtAccept(save: CheckpointFile['save']): CheckpointFile['save'] {
  return (checkpoint) => {
    if (checkpoint.intended === undefined) throw new Error('the process is dead');
    save(checkpoint);
  };
}

/** Interpretation that one exchange kills. @param sizes gets how many exchanges it was asked for each time. */
function killedBy(poisoned: string, sizes: number[]): TestInterpret {
  return async (tasks, storedAt) => {
    sizes.push(tasks.length);
    const interpreted = await interpretDirectly(tasks, storedAt);
    if (interpreted.some((result) => 'request' in result && holdsId(result.request, poisoned))) {
      throw new RecordBuilderCrashed('out of memory');
    }
    return interpreted;
  };
}

/** Interpretation that comes through so many exchanges at once. @param sizes gets how many it was asked for each time. */
function stoppingBehind(most: number, sizes: number[]): TestInterpret {
  return async (tasks, storedAt) => {
    sizes.push(tasks.length);
    return interpretDirectly(tasks.slice(0, most), storedAt);
  };
}

/** Interpretation that dies the first time, whatever it is asked for. */
function dyingOnce(reason: string): TestInterpret {
  let hasDied = false;
  return async (tasks, storedAt) => {
    if (hasDied) return interpretDirectly(tasks, storedAt);
    hasDied = true;
    throw new RecordBuilderCrashed(reason);
  };
}

/** A life of the ingest that ends when its batch has failed: the next one finds that batch begun. */
async function failOnce(spool: SpoolRig, ports: Parameters<SpoolRig['openDrain']>[0]): Promise<void> {
  const drain = await spool.openDrain(ports);
  drain.start();
  await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
  await drain.stop(0);
}

const seesNone = async (): Promise<ReadonlySet<never>> => new Set();

describe('a poisoned exchange goes to the dead letters and stops nothing', () => {
  test.each([
    ['no JSON', 'garbage', 'JSON'],
    ['null', 'null', 'no object'],
    ['of a newer version', '{"version":2}', 'version 2'],
    ['without an organisation', '{"version":1}', 'names no organisation'],
    [
      'without a time',
      `{"version":1,"organizationId":"${'0'.repeat(8)}-0000-0000-0000-000000000000","requestId":"00000000-0000-0000-0000-000000000000"}`,
      'no time',
    ],
  ])('when its open frame is %s', async (_, payload, reason) => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const first = await spool.write(writer);
    const stream = writer.newStream();
    writer.append(stream, frameKinds.open, payload);
    spool.writeRest(writer, stream, {});
    await written(writer);
    const second = await spool.write(writer);
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual([first, second].toSorted());
    const [letter] = await spool.deadLetters();
    expect(letter?.reason).toContain(reason);
    expect(letter?.frames.map(({ kind }) => kind)).toEqual([1, 2, 3, 4, 5]);
    expect(letter?.frames[0]?.payload?.toString()).toBe(payload);
  });

  test('when another of its frames cannot be read, and the letter is for this user only', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const poisoned = spool.writeOpen(writer, stream);
    writer.append(stream, frameKinds.responseHead, '{"status"');
    writer.append(stream, frameKinds.end, '{}');
    await written(writer);
    const good = await spool.write(writer);
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual([good]);
    expect(await spool.deadLetters()).toMatchObject([{ requestId: poisoned }]);
    const files = readdirSync(spool.deadLetterFolder).map((name) => path.join(spool.deadLetterFolder, name));
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
  });

  test('when it has an open frame alone', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    writer.append(writer.newStream(), frameKinds.open, 'garbage');
    await spool.killWriter(writer);
    await spool.drainAll();
    expect(await spool.deadLetters()).toHaveLength(1);
    expect(spool.segments()).toEqual({});
  });

  test('when the store refuses its row: the rest is stored once, also when the batch is repeated', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 11);
    const poisoned = new Set([ids[3] ?? '', ids[10] ?? '']);
    const tokens: string[][] = [];
    for (const dies of [true, false]) {
      const file = openCheckpointFile(spool.folder);
      const life: string[] = [];
      let dead = false;
      const insert: InsertRows = async (table, rows, token) => {
        await rig.store.insert(table, rows, token);
        life.push(token);
      };
      const save: typeof file.save = (checkpoint) => {
        dead ||= dies && checkpoint.intended === undefined;
        if (dead) throw new Error('the process is dead');
        file.save(checkpoint);
      };
      // As if nothing of the first life could be seen yet: then it is the tokens alone that keep its rows from being stored again.
      const drain = await spool.openDrain({
        insert,
        findRows: seesNone,
        interpret: refusedFor(poisoned),
        checkpoint: { load: file.load, save },
      });
      drain.start();
      if (dies) await until(() => dead);
      await drain.stop(dies ? 0 : 10_000);
      tokens.push([...new Set(life)]);
    }
    expect(tokens[0]).toEqual(tokens[1]);
    const good = ids.filter((id) => !poisoned.has(id)).toSorted();
    expect((await spool.storedIds()).requests).toEqual(good);
    expect(new Set((await spool.deadLetters()).map(({ requestId }) => requestId))).toEqual(poisoned);
    // Of the engine's words, which quote what was stored, none is in an observation.
    expect(JSON.stringify(spool.observations)).not.toContain('CANNOT_PARSE');
    expect((await spool.deadLetters())[0]?.reason).toContain('string size');
  });

  test('when it is a change of it that the store refuses: the repeated batch has that change too, and stores the rest once', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const poisoned = await spool.write(writer, { end: null });
    const good = [await spool.write(writer), await spool.write(writer)];
    const interpret = refusedIfChanged;
    const file = openCheckpointFile(spool.folder);
    const { drain, changer } = await spool.openCore({ interpret, checkpoint: { load: file.load, save: dyingAtAccept(file.save) } });
    await changer.change(spool.principal, poisoned, { kind: 'feedback', rating: true });
    await spool.killWriter(writer);
    drain.start();
    await until(() => spool.observations.some(({ kind }) => kind === 'batch_failed'));
    await drain.stop(0);
    expect((await spool.storedIds()).requests).toEqual(good.toSorted());
    await spool.drainAll({ interpret });
    expect((await spool.storedIds()).requests).toEqual(good.toSorted());
    expect(await spool.deadLetters()).toMatchObject([{ requestId: poisoned, changes: [{ change: { kind: 'feedback', rating: true } }] }]);
  });

  test('when the repeated batch has lost an exchange to another failure, its parts keep their tokens', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 6);
    const poisoned = new Set([ids[5] ?? '']);
    let halves = 0;
    // The first life dies when the first half is in.
    const insert: InsertRows = async (table, rows, token) => {
      if (token.endsWith('-requests.1')) throw new GatelogError('store_unavailable', 'away');
      await rig.store.insert(table, rows, token);
      halves += token.endsWith('-requests.0') ? 1 : 0;
    };
    const first = await spool.openDrain({ insert, interpret: refusedFor(poisoned) });
    first.start();
    await until(() => halves === 1);
    await first.stop(0);
    const interpret: TestInterpret = async (tasks, storedAt) => {
      const interpreted = await refusedFor(poisoned)(tasks, storedAt);
      return interpreted.map((result, index) => (index === 0 ? { failure: 'not understood this time' } : result));
    };
    await spool.drainAll({ interpret });
    expect((await spool.storedIds()).requests).toEqual(ids.slice(0, 5).toSorted());
  });

  test('when it kills the interpreter: the batch is narrowed down to it', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 21);
    const sizes: number[] = [];
    const interpret = killedBy(ids[13] ?? '', sizes);
    await spool.drainAll({ interpret });
    expect((await spool.storedIds()).requests).toEqual(ids.filter((_, index) => index !== 13).toSorted());
    expect(await spool.deadLetters()).toMatchObject([{ requestId: ids[13], reason: 'out of memory' }]);
    expect(sizes[0]).toBe(21);
    expect(sizes).toContain(1);
  });

  test('when it kills the interpreter in a batch that was begun before a crash: its bounds stay, the rest is stored', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 9);
    await failOnce(spool, { insert: () => Promise.reject(new GatelogError('store_unavailable', 'away')) });
    const tokens = new Set<string>();
    const insert: InsertRows = async (table, rows, token) => {
      tokens.add(token);
      return rig.store.insert(table, rows, token);
    };
    await spool.drainAll({ interpret: killedBy(ids[5] ?? '', []), insert });
    expect((await spool.storedIds()).requests).toEqual(ids.filter((_, index) => index !== 5).toSorted());
    expect(await spool.deadLetters()).toMatchObject([{ requestId: ids[5], reason: 'out of memory' }]);
    expect([...tokens].map((token) => token.replace(/^.*-/, ''))).toEqual(['bodies', 'requests']);
  });

  test('when it kills the interpreter in a batch that the store may have already: that one is not cut again', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 4);
    const file = openCheckpointFile(spool.folder);
    await failOnce(spool, { checkpoint: { load: file.load, save: dyingAtAccept(file.save) } });
    await spool.drainAll({ interpret: dyingOnce('out of memory') });
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  });

  test('nor does one exchange of a batch that was begun before, when the interpreter dies of it once', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 1);
    await failOnce(spool, { insert: () => Promise.reject(new GatelogError('store_unavailable', 'away')) });
    await spool.drainAll({ interpret: dyingOnce('no result after 60000 ms') });
    expect((await spool.storedIds()).requests).toEqual(ids);
    expect(await spool.deadLetters()).toEqual([]);
  });

  test('when the store has no memory for so many rows at once: the batch is narrowed, nothing is stored twice', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 6);
    const insert: InsertRows = async (table, rows, token) => {
      const cause = Object.assign(new Error('memory limit'), { code: '241', type: 'MEMORY_LIMIT_EXCEEDED' });
      if (table === 'bodies' && rows.length > 4) throw new GatelogError('query_too_large', 'too large', { cause });
      await rig.store.insert(table, rows, token);
    };
    await spool.drainAll({ insert });
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
    expect(spool.observations.filter(({ kind }) => kind === 'exchange_dead_lettered')).toEqual([]);
  });

  test('but for one small row a lack of memory is the store`s, and is waited for', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 2);
    let failures = 0;
    const insert: InsertRows = async (table, rows, token) => {
      const cause = Object.assign(new Error('memory limit'), { code: '241', type: 'MEMORY_LIMIT_EXCEEDED' });
      if (rows.length === 1) failures += 1;
      if (failures < 7) throw new GatelogError('query_too_large', 'too large', { cause });
      await rig.store.insert(table, rows, token);
    };
    await spool.drainAll({ insert });
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
    expect(await spool.deadLetters()).toEqual([]);
  });

  test('but a thread that dies of one exchange once, as when the machine stood still, gets it again', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 1);
    await spool.drainAll({ interpret: dyingOnce('no result after 60000 ms') });
    expect((await spool.storedIds()).requests).toEqual(ids);
    expect(await spool.deadLetters()).toEqual([]);
  });

  test('but a process that lacks something just now keeps it and tries again', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 3);
    let calls = 0;
    const interpret: TestInterpret = async (tasks, storedAt) => {
      calls += 1;
      return calls === 1 ? tasks.map(() => ({ shortage: 'EMFILE: too many open files' })) : interpretDirectly(tasks, storedAt);
    };
    await spool.drainAll({ interpret });
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  });

  test('with its head alone, when it is too long for a letter', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const poisoned = await spool.write(writer, { request: 'x'.repeat(2000) });
    const short = await spool.write(writer);
    const deadLetters = new DeadLetters(spool.deadLetterFolder, systemClock.now, 2000);
    await spool.drainAll({ deadLetters, interpret: async (tasks) => tasks.map(() => ({ failure: 'not understood' })) });
    const [head, whole] = await spool.deadLetters();
    expect(head).toMatchObject({
      requestId: poisoned,
      bytes: 0,
      reason: expect.stringMatching(/too many for a letter.* not understood$/u) as unknown,
    });
    expect(new Set(head?.frames.map(({ payload }) => payload))).toEqual(new Set([undefined]));
    expect(whole).toMatchObject({ requestId: short, reason: 'not understood' });
  });

  test('and dead letters that cannot be written leave it in the spool', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    writer.append(stream, frameKinds.open, 'garbage');
    spool.writeRest(writer, stream, {});
    const good = await spool.write(writer);
    let calls = 0;
    const kept: string[] = [];
    await spool.drainAll({
      deadLetters: {
        keep: ({ reason }) => {
          calls += 1;
          if (calls === 1) throw new Error('the disk is full');
          kept.push(reason);
        },
      },
    });
    expect(kept).toHaveLength(1);
    expect((await spool.storedIds()).requests).toEqual([good]);
  });
});

describe('a batch that would become too much', () => {
  test('is made as small as the interpreter came through, and stored whole', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 11);
    const sizes: number[] = [];
    await spool.drainAll({ interpret: stoppingBehind(4, sizes) });
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
    expect(await spool.deadLetters()).toEqual([]);
    expect(sizes).toEqual([11, 7, 3]);
    expect(spool.observations.filter(({ kind }) => kind === 'batch_failed')).toEqual([]);
  });

  test.each([1, 3, 4, 5, 8])('of several spools leaves what comes behind its first %i exchanges to the next', async (most) => {
    const spool = new SpoolRig(rig);
    const ids = [...(await writeGood(spool, 4)), ...(await writeGood(spool, 1)), ...(await writeGood(spool, 3))];
    await spool.drainAll({ interpret: stoppingBehind(most, []) });
    const { requests, bodies } = await spool.storedIds();
    expect([requests, bodies]).toEqual([ids.toSorted(), ids.toSorted()]);
    expect(await spool.deadLetters()).toEqual([]);
  });

  test('is interpreted in pieces when it is repeated, and stays one batch', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeGood(spool, 11);
    const file = openCheckpointFile(spool.folder);
    await failOnce(spool, { checkpoint: { ...file, save: dyingAtAccept(file.save) } });
    const sizes: number[] = [];
    await spool.drainAll({ interpret: stoppingBehind(4, sizes) });
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
    expect([sizes, await spool.deadLetters()]).toEqual([[11, 7, 3], []]);
  });
});
