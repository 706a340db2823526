import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeErasableLetters } from '../ingest/dead-letters/erase.ts';
import { waitForSpoolDrain } from '../ingest/changes/erasures.ts';
import { type IngestRig, interpretDirectly, makeGate, refusedFor, SpoolRig, until, written } from '../ingest/testing/ingest-harness.ts';
import { listUnfinishedErasures, orderErasure } from '../metadata/erasures.ts';
import { GatelogError } from '../model/errors.ts';
import type { Erasure, ErasureStage } from '../model/erasure.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import { systemClock } from '../platform/clock.ts';
import type { ErasureReceipt, ErasureTargets } from './erasures.ts';
import { type LifeOptions, type Life, lettersOf, liveOver, openLifeParts, type OpenLifeParts } from './testing/erasure-harness.ts';

let parts: OpenLifeParts;
let rig: IngestRig;
beforeAll(async () => {
  parts = await openLifeParts();
  ({ rig } = parts);
});
afterAll(async () => parts.close());

const live = (spool: SpoolRig, given: LifeOptions = {}): Promise<Life> => liveOver(parts, spool, given);

const tagged = (userId: string, given: object = {}) => ({ open: { tags: { properties: [], userId }, ...given } });
const ofBody = (user: string) => ({ request: JSON.stringify({ model: 'echo-1', user, messages: [{ role: 'user', content: 'x' }] }) });
const longMs = 60_000;

async function stored(spool: SpoolRig): Promise<readonly string[]> {
  return (await spool.storedIds()).requests;
}

function keepResponseOf(userId: string, organizationId: OrganizationId): void {
  const times = { createdAt: 0, expiresAt: 1, latencyMs: 1 };
  const response = { requestId: 'any', userId, status: 200, headers: [], body: Buffer.from('x'), ...times };
  parts.responses.keep({ organizationId, fingerprint: userId, buckets: 1 }, 0, response, 0);
}

interface Ordered {
  readonly receipt: Promise<ErasureReceipt | undefined>;
}

/** Orders an erasure in a life that has not started, and starts it: what leaves the spool from then on counts as taken from there. */
async function eraseAndStart({ erasures, running, core }: Life, { organizationId }: SpoolRig): Promise<Ordered> {
  const receipt = erasures.erase(organizationId, 'ann', longMs);
  await until(() => running.of(organizationId) !== undefined);
  core.drain.start();
  return { receipt };
}

/** Targets of a core that dies at a stage, after what it did there and before that is written down. */
function targetsCutAt(stage: ErasureStage, spool: SpoolRig, tell: () => void): Partial<ErasureTargets> {
  const dieAfter = <Given extends readonly unknown[]>(work: (...given: Given) => Promise<unknown>, livesFor = 0) => {
    let calls = 0;
    return async (...given: Given): Promise<never> => {
      await work(...given);
      calls += 1;
      if (calls <= livesFor) return undefined as never;
      tell();
      return new Promise<never>(() => undefined);
    };
  };
  const letters = lettersOf(rig, spool);
  if (stage === 'lettersCounted') return { deadLetters: { ...letters, erase: dieAfter(letters.erase) } };
  if (stage === 'lettersRecounted') return { deadLetters: { ...letters, erase: dieAfter(letters.erase, 1) } };
  if (stage === 'lettersErased') return { waitForSpoolDrain: dieAfter(async () => undefined) };
  if (stage === 'listed') return { store: { ...rig.store.erase, removeRest: dieAfter(rig.store.erase.removeRest) } };
  const forget = (): never => {
    parts.responses.forget(spool.organizationId);
    tell();
    throw new Error('cut');
  };
  return { responses: { count: () => parts.responses.count(spool.organizationId), forget } };
}

describe('an erasure', () => {
  it('takes out what is stored, what is on its way, kept replies and dead letters, and counts each', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const poison = await spool.write(writer, { ...tagged('ann'), request: 'poison' });
    const his = [await spool.write(writer, tagged('bob'))];
    await spool.write(writer, tagged('ann'));
    await spool.write(writer, ofBody('ann'));
    await spool.drainAll({
      interpret: async (tasks, storedAt) =>
        (await interpretDirectly(tasks, storedAt)).map((result, index) => (index === 0 ? { failure: 'it is poison' } : result)),
    });
    expect((await spool.deadLetters()).map(({ requestId }) => requestId)).toEqual([poison]);
    await spool.write(writer, tagged('ann'));
    await spool.write(writer, ofBody('ann'));
    his.push(await spool.write(writer, tagged('bob', {})), await spool.write(writer, ofBody('bob')));
    for (const userId of ['ann', 'bob']) keepResponseOf(userId, spool.organizationId);
    const life = await live(spool, { starts: false });
    const before = systemClock.now();
    const receipt = await (await eraseAndStart(life, spool)).receipt;
    expect(receipt).toMatchObject({
      userId: 'ann',
      stage: 'done',
      counts: { requests: 2, bodies: 4, cache_entries: 1, spool_records: 2, dead_letters: 1, blobs: 0 },
    });
    expect(receipt?.erasedAt).toBeGreaterThanOrEqual(before);
    await life.end();
    expect(await stored(spool)).toEqual(his.toSorted());
    expect((await spool.storedIds()).bodies).toEqual(his.toSorted());
    expect(await spool.deadLetters()).toEqual([]);
    expect(parts.responses.forget(spool.organizationId)).toBe(1);
  });

  it('takes out what the store took of a record before it refused the rest', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const [his, refused, hers] = [
      await spool.write(writer, tagged('bob')),
      await spool.write(writer, tagged('ann')),
      await spool.write(writer, tagged('bob')),
    ];
    await spool.drainAll({ interpret: refusedFor(new Set([refused, hers])) });
    expect(await spool.storedIds()).toEqual({ requests: [his], bodies: [his, refused, hers].toSorted() });
    const life = await live(spool);
    const receipt = await life.erasures.erase(spool.organizationId, 'ann', longMs);
    expect(receipt?.counts).toMatchObject({ requests: 0, dead_letters: 1 });
    await life.end();
    expect(await spool.storedIds()).toEqual({ requests: [his], bodies: [his, hers].toSorted() });
    expect((await spool.deadLetters()).map(({ requestId }) => requestId)).toEqual([hers]);
  });

  it('leaves calls that come later, and another organisation, alone', async () => {
    const [spool, other] = [new SpoolRig(rig), new SpoolRig(rig)];
    const foreign = await other.write(other.openWriter(), tagged('ann'));
    await other.drainAll();
    const writer = spool.openWriter();
    await spool.write(writer, tagged('ann'));
    const life = await live(spool, { starts: false });
    const first = await (await eraseAndStart(life, spool)).receipt;
    expect(first?.counts).toMatchObject({ requests: 0, spool_records: 1 });
    if (first !== undefined) await life.erasures.acknowledge(first);
    const later = await spool.write(writer, tagged('ann', { openedAt: systemClock.now() + 1 }));
    await life.end();
    expect(await stored(spool)).toEqual([later]);
    expect(await stored(other)).toEqual([foreign]);
  });

  it("waits for calls that are open and may be the user's, and for no others", async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const [hers, unknown, his] = [writer.newStream(), writer.newStream(), writer.newStream()];
    spool.writeOpen(writer, hers, { tags: { properties: [], userId: 'ann' } });
    spool.writeOpen(writer, unknown, {});
    spool.writeOpen(writer, his, { tags: { properties: [], userId: 'bob' } });
    const life = await live(spool);
    expect(await life.erasures.erase(spool.organizationId, 'ann', 50)).toBeUndefined();
    spool.writeRest(writer, hers, {});
    spool.writeRest(writer, unknown, ofBody('ann'));
    expect((await life.erasures.erase(spool.organizationId, 'ann', longMs))?.counts).toMatchObject({ requests: 0, spool_records: 2 });
    spool.writeRest(writer, his, {});
    await written(writer);
    await life.end();
    expect(await stored(spool)).toHaveLength(1);
  });

  it('takes pending changes with the record that they were for', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const requestId = spool.writeOpen(writer, stream, { tags: { properties: [], userId: 'ann' } });
    const life = await live(spool);
    await life.core.changer.change(spool.principal, requestId, { kind: 'property', values: new Map([['Of', 'hers']]) });
    const receipt = life.erasures.erase(spool.organizationId, 'ann', longMs);
    spool.writeRest(writer, stream, {});
    await receipt;
    const change = life.core.changer.change(spool.principal, requestId, { kind: 'feedback', rating: true });
    await expect(change).rejects.toMatchObject({ code: 'not_found' } satisfies Partial<GatelogError>);
    await life.end();
    const rows = await rig.database.queries.selectFrom('pending_changes').select('content').where('request_id', '=', requestId).execute();
    expect(rows).toEqual([]);
  });

  it.each(['lettersCounted', 'lettersErased', 'listed', 'cacheCounted', 'lettersRecounted'] as const)(
    'that is cut when it is %s, with what then goes gone already, goes on in the next life, and counts the same',
    async (stage) => {
      const spool = new SpoolRig(rig);
      const writer = spool.openWriter();
      await spool.write(writer, tagged('ann'));
      await spool.drainAll({ interpret: async (tasks) => tasks.map(() => ({ failure: 'it is poison' })) });
      await spool.write(writer, tagged('ann'));
      await spool.drainAll();
      keepResponseOf('ann', spool.organizationId);
      await spool.write(writer, tagged('ann'));
      const cut = makeGate();
      const first = await live(spool, { targets: targetsCutAt(stage, spool, () => cut.open()), starts: false });
      await eraseAndStart(first, spool);
      await cut.passed;
      // Once the erasures of a life are stopped, it stores what it still takes from the spool.
      const { drain } = first.core;
      await drain.catchUp();
      await until(() => drain.inFlight.all().every((exchange) => exchange.isSettled()));
      void first.erasures.stop();
      await first.core.drain.stop(10_000);
      const second = await live(spool);
      const receipt = await second.erasures.erase(spool.organizationId, 'ann', longMs);
      expect(receipt?.counts).toEqual({ requests: 1, bodies: 2, cache_entries: 1, spool_records: 1, dead_letters: 1, blobs: 0 });
      await second.end();
      expect([await spool.storedIds(), await spool.deadLetters()]).toEqual([{ requests: [], bodies: [] }, []]);
      expect(parts.responses.count(spool.organizationId)).toBe(0);
    },
  );

  it('takes out the letter of a record that came while it was in the store, also when that fails only while it is waited for', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const openedAt = systemClock.now() - 1000;
    const { erase } = rig.store;
    let isOutOfStore = false;
    const life = await live(spool, {
      interpret: async (tasks) => tasks.map(() => ({ failure: 'it is poison' })),
      targets: {
        store: {
          ...erase,
          removeFiles: async (...given) => {
            await erase.removeFiles(...given);
            spool.writeOpen(writer, stream, { openedAt, tags: { properties: [], userId: 'ann' } });
            await written(writer);
            isOutOfStore = true;
          },
        },
        waitForSpoolDrain: async (erasure, signal) => {
          if (isOutOfStore) spool.writeRest(writer, stream, {});
          const { drain } = life.core;
          await waitForSpoolDrain({ catchUp: () => drain.catchUp(), inFlight: drain.inFlight }, erasure, signal);
        },
      },
    });
    const receipt = await life.erasures.erase(spool.organizationId, 'ann', longMs);
    expect([receipt?.counts.dead_letters, await spool.deadLetters()]).toEqual([1, []]);
    await life.end();
  });

  it('keeps its receipt until that is handed over, and is tried again when a part fails', async () => {
    const spool = new SpoolRig(rig);
    let failures = 2;
    const life = await live(spool, {
      targets: {
        responses: {
          count: () => {
            failures -= 1;
            if (failures >= 0) throw new Error('the state cannot be opened');
            return 7;
          },
          forget: () => undefined,
        },
      },
    });
    const receipt = await life.erasures.erase(spool.organizationId, 'user-4711', longMs);
    expect(receipt?.counts.cache_entries).toBe(7);
    expect(life.observations.filter(({ kind }) => kind === 'erasure_failed')).toHaveLength(2);
    expect(JSON.stringify(life.observations)).not.toContain('user-4711');
    expect(await life.erasures.erase(spool.organizationId, 'user-4711', longMs)).toEqual(receipt);
    if (receipt !== undefined) await life.erasures.acknowledge(receipt);
    expect((await life.erasures.erase(spool.organizationId, 'user-4711', longMs))?.number).not.toBe(receipt?.number);
    await life.end();
  });
});

describe('while as many erasures run as may', () => {
  it('a new one is refused and not written down; one that runs is joined, and a receipt that waits is fetched', async () => {
    const spool = new SpoolRig(rig);
    const gate = makeGate();
    const waitsForGate = new Set(['ann']);
    const life = await live(spool, {
      maxRunning: 1,
      targets: {
        waitForSpoolDrain: async ({ userId }) => {
          if (waitsForGate.has(userId)) await gate.passed;
        },
      },
    });
    const { organizationId } = spool;
    const receipt = await life.erasures.erase(organizationId, 'bob', longMs);
    expect(receipt?.stage).toBe('done');
    expect(await life.erasures.erase(organizationId, 'ann', 50)).toBeUndefined();
    await expect(life.erasures.erase(organizationId, 'cid', longMs)).rejects.toMatchObject({ code: 'erasure_in_progress' });
    expect(await life.erasures.erase(organizationId, 'bob', longMs)).toEqual(receipt);
    const joined = life.erasures.erase(organizationId, 'ann', longMs);
    const unfinished = await listUnfinishedErasures(rig.database);
    expect(unfinished.filter((erasure) => erasure.organizationId === organizationId).map(({ userId }) => userId)).toEqual(['ann']);
    gate.open();
    expect((await joined)?.stage).toBe('done');
    await life.end();
  });
});

describe('a batch that a crash has cut', () => {
  it('is repeated with what it had: a record that it left out stays out, another goes by way of the store', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const all: RequestId[] = [await spool.write(writer, tagged('ann')), await spool.write(writer, tagged('bob'))];
    const down = new GatelogError('store_unavailable', 'down');
    const insert = rig.store.insert;
    // The bodies of both are stored, then everything dies.
    const dying = await spool.openDrain({
      insert: async (table, rows, token) => {
        if (table === 'requests') throw down;
        await insert(table, rows, token);
      },
    });
    dying.start();
    await until(async () => (await spool.storedIds()).bodies.length === 2);
    await dying.stop(50);
    const order = await orderErasure(rig.database, {
      organizationId: spool.organizationId,
      userId: 'ann',
      at: systemClock.now(),
      takesNew: true,
    });
    const life = await live(spool);
    const receipt = await life.erasures.erase(spool.organizationId, 'ann', longMs);
    expect(receipt).toMatchObject({ number: order?.number, counts: { requests: 1, bodies: 2, spool_records: 0 } });
    await life.end();
    expect(await spool.storedIds()).toEqual({ requests: [all[1]], bodies: [all[1]] });
  });
});

const orderedFor = (userId: string, organizationId = '00000000-0000-7000-8000-00000000000a' as OrganizationId): Erasure => ({
  number: 1,
  organizationId,
  userId,
  erasedAt: systemClock.now(),
  stage: 'ordered',
  counts: { requests: 0, bodies: 0, cache_entries: 0, spool_records: 0, dead_letters: 0, blobs: 0 },
});

describe('dead letters', () => {
  it('of a user go, named by the header or the body; letters of others stay, and so does one that comes meanwhile', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const sketches = [
      tagged('änn'),
      ofBody('änn'),
      { request: JSON.stringify({ user: 'änn' }).replace('ä', '\\u00e4') },
      { request: '{"messages":[{"content":"x', requestTail: 'x"}],"user":"änn"}', end: { requestCut: true as const } },
      tagged('bob'),
      ofBody('bob'),
      { ...ofBody('änn'), open: { tags: { properties: [], userId: 'bob' } } },
      tagged('änn', { openedAt: systemClock.now() + 1000 }),
    ];
    const ids: RequestId[] = [];
    for (const preview of sketches) ids.push(await spool.write(writer, preview));
    await spool.drainAll({ interpret: async (tasks) => tasks.map(() => ({ failure: 'it is poison' })) });
    const ordered = orderedFor('änn', spool.organizationId);
    const { count, erase } = lettersOf(rig, spool);
    expect(await count(ordered)).toBe(4);
    expect(await erase(ordered)).toBe(4);
    expect((await spool.deadLetters()).map(({ requestId }) => requestId).toSorted()).toEqual(ids.slice(4).toSorted());
    rmSync(spool.deadLetterFolder, { recursive: true });
    expect(await erase(ordered)).toBe(0);
  });

  it('that had something in the store have its files removed before the receipt, also when that fails at first', async () => {
    const spool = new SpoolRig(rig);
    const { erase } = rig.store;
    // One that comes while the erasure waits, and is gone with its first try.
    const erasedAt = [0, 1, 0];
    const countedAt = [0, 1];
    const letters = { count: async () => countedAt.shift() ?? 0, erase: async () => erasedAt.shift() ?? 0 };
    let removals = 0;
    const removeFiles: typeof erase.removeFiles = async (...given) => {
      removals += 1;
      if (removals === 2) throw new GatelogError('store_unavailable', 'The disk of the store is full.');
      await erase.removeFiles(...given);
    };
    const life = await live(spool, { targets: { deadLetters: letters, store: { ...erase, removeFiles } } });
    expect(await life.erasures.erase(spool.organizationId, 'ann', longMs)).toMatchObject({ counts: { dead_letters: 1 } });
    expect([removals, erasedAt]).toEqual([3, []]);
    await life.end();
  });

  it('that go while others are looked at are gone', async () => {
    const folder = path.join(rig.folder, 'letters-that-go');
    mkdirSync(folder);
    const names = ['1.letter', '2.letter'];
    for (const name of names) writeFileSync(path.join(folder, name), '{}\n{}\n');
    const erasing = makeErasableLetters(folder, async () => undefined).erase(orderedFor('ann'));
    // The folder has been read by now.
    for (const name of names) rmSync(path.join(folder, name));
    expect(await erasing).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
