import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import type { DrainParts } from '../drain-parts.ts';
import type { ErasedUser } from '../changes/erasures.ts';
import { type Gate, type IngestRig, interpretDirectly, makeGate, openRig, SpoolRig } from '../testing/ingest-harness.ts';
import { type InterpretedExchange, RecordBuilderCrashed } from '../worker/record-builder.ts';
import type { TestInterpret, TestPorts } from '../testing/spent-rows.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const limits = { maxRows: 2, maxBytes: 1e9 };

async function writeSome(spool: SpoolRig, count: number): Promise<RequestId[]> {
  const properties = [{ name: 'team', value: 'a', lowered: true as const }];
  const writer = spool.openWriter();
  const ids: RequestId[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await spool.write(writer, { open: { tags: { properties, userId: 'ann' } } }));
  return ids;
}

/** Inserts that wait at the first one until the gate is open. */
function heldInsert(gate: Gate): InsertRows {
  let held = false;
  return async (table, rows, token) => {
    if (!held) {
      held = true;
      await gate.passed;
    }
    await rig.store.insert(table, rows, token);
  };
}

/** Stands in for an interpretation, given its number. */
type Answer = (call: number) => readonly InterpretedExchange[] | undefined;

/** What the interpretations of a test gave, and what of that was given back. */
let made: (readonly InterpretedExchange[])[] = [];
let released: (readonly InterpretedExchange[])[] = [];
const release: TestPorts['release'] = (interpreted) => void released.push(interpreted);

beforeEach(() => {
  made = [];
  released = [];
});
afterEach(() => {
  const wrong = made.filter((interpreted) => released.filter((one) => one === interpreted).length !== 1);
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${made.length} interpretations were not given back exactly once`);
});

/** Interpretation that says what it is asked for. */
function watched(asked: (call: number) => void, answer?: Answer) {
  const sizes: number[] = [];
  const interpret: TestInterpret = async (tasks, storedAt) => {
    sizes.push(tasks.length);
    const call = sizes.length;
    asked(call);
    const interpreted = answer?.(call) ?? (await interpretDirectly(tasks, storedAt));
    made.push(interpreted);
    return interpreted;
  };
  return { sizes, interpret };
}

/** Two batches, of which the second is interpreted while the first is being inserted. */
async function drainTwo(spool: SpoolRig, given: TestPorts = {}, answer?: Answer) {
  const bothAsked = makeGate();
  const { sizes, interpret } = watched((call) => {
    if (call === 2) bothAsked.open();
  }, answer);
  await spool.drainAll({ limits, interpret, release, insert: heldInsert(bothAsked), ...given });
  return sizes;
}

describe('while a batch is being stored', () => {
  it('the next one is interpreted, and then stored without being interpreted again', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    expect(await drainTwo(spool)).toEqual([2, 2]);
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  });

  it('so is one that its bytes fill', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 5);
    expect(await drainTwo(spool, { limits: { maxRows: 1000, maxBytes: 2500 } })).toEqual([2, 2, 1]);
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  });

  it('one that is a single very large record is not, so that one of them is in memory at a time', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 3);
    const asked: string[] = [];
    const { interpret } = watched((call) => asked.push(`interpreted ${call}`));
    const insert: InsertRows = async (table, rows, token) => {
      asked.push(table);
      await rig.store.insert(table, rows, token);
    };
    await spool.drainAll({ limits: { maxRows: 1000, maxBytes: 500 }, interpret, release, insert });
    expect(asked.slice(0, asked.indexOf('interpreted 2')).at(-1)).toBe('requests');
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  });

  it('one of several series is not, as any of them may have more by then', async () => {
    const spool = new SpoolRig(rig);
    const ids = [...(await writeSome(spool, 3)), ...(await writeSome(spool, 1))];
    const { sizes, interpret } = watched(() => undefined);
    await spool.drainAll({ limits, interpret, release });
    expect(sizes).toEqual([2, 2]);
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  });

  it('one that is not full yet is not, as more may come', async () => {
    const spool = new SpoolRig(rig);
    await writeSome(spool, 3);
    const asked: string[] = [];
    const { interpret } = watched((call) => asked.push(`interpreted ${call}`));
    const insert: InsertRows = async (table, rows, token) => {
      asked.push(table);
      await rig.store.insert(table, rows, token);
    };
    await spool.drainAll({ limits, interpret, release, insert });
    expect(asked.indexOf('interpreted 2')).toBeGreaterThan(asked.indexOf('requests'));
  });
});

describe('what was made ahead is made again', () => {
  it('when a change has come since', async () => {
    const spool = new SpoolRig(rig);
    const ahead = makeGate();
    const mayStore = makeGate();
    const { sizes, interpret } = watched((call) => {
      if (call === 2) ahead.open();
    });
    const { drain, changer } = await spool.openCore({ limits, interpret, release, insert: heldInsert(mayStore) });
    // Behind the start: of what lies in a spool without a checkpoint nobody knows whether it is stored, so that its changes wait.
    const ids = await writeSome(spool, 4);
    const [last] = ids.slice(-1);
    drain.start();
    await ahead.passed;
    await changer.change(spool.principal, last ?? spool.principal.organizationId, { kind: 'property', values: new Map([['late', 'yes']]) });
    mayStore.open();
    await drain.stop(10_000);
    expect(sizes).toEqual([2, 2, 2]);
    const rows = await spool.rows();
    expect(rows.map(({ properties }) => properties['late'])).toEqual([undefined, undefined, undefined, 'yes']);
  });

  it('when the settings of the organisation are others, also where they are the same object', async () => {
    const spool = new SpoolRig(rig);
    await writeSome(spool, 4);
    const names = new Map<string, string>();
    const bothAsked = makeGate();
    const { sizes, interpret } = watched((call) => {
      if (call === 2) bothAsked.open();
    });
    let stored = 0;
    await spool.drainAll({
      limits,
      interpret,
      release,
      declaredNames: { of: async () => names },
      insert: async (table, rows, token) => {
        await bothAsked.passed;
        await rig.store.insert(table, rows, token);
        stored += 1;
        if (stored === 1) names.set('team', 'TEAM');
      },
    });
    expect(sizes).toEqual([2, 2, 2]);
    expect((await spool.rows()).map(({ properties }) => Object.keys(properties))).toEqual([['team'], ['team'], ['TEAM'], ['TEAM']]);
  });

  it('when a user of it is being erased since', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    let running: readonly ErasedUser[] | undefined;
    const bothAsked = makeGate();
    const { sizes, interpret } = watched((call) => {
      if (call !== 2) return;
      running = [{ number: 1, userId: 'ann', erasedAt: Number.MAX_SAFE_INTEGER }];
      bothAsked.open();
    });
    const erased: RequestId[] = [];
    const erasures: DrainParts['erasures'] = {
      of: () => running,
      save: async (exchanges) => void erased.push(...exchanges.map(({ requestId }) => requestId)),
      wasErased: async () => false,
    };
    await spool.drainAll({ limits, interpret, release, erasures, insert: heldInsert(bothAsked) });
    expect(sizes).toEqual([2, 2, 2]);
    expect((await spool.storedIds()).requests).toEqual(ids.slice(0, 2).toSorted());
    expect(erased).toEqual(ids.slice(2));
  });

  it.each([{ failure: 'the frame is not as it was' }, { shortage: 'no descriptors' }])('when some of it is %o', async (wrong) => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    const sizes = await drainTwo(spool, {}, (call) => (call === 2 ? [wrong, wrong] : undefined));
    expect(sizes).toEqual([2, 2, 2]);
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
    expect(await spool.deadLetters()).toEqual([]);
  });

  it('when the interpreter died of it', async () => {
    const spool = new SpoolRig(rig);
    const ids = await writeSome(spool, 4);
    const sizes = await drainTwo(spool, {}, (call) => {
      if (call === 2) throw new RecordBuilderCrashed('no memory');
      return undefined;
    });
    expect(sizes).toEqual([2, 2, 2]);
    expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
    expect(spool.observations.map(({ kind }) => kind)).not.toContain('batch_failed');
  });
});
