import { randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcceptedChange, Change, ChangedValue, HistoryKind } from '../../model/change.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { makeChangeStored, type StoredChange } from './change.ts';
import { PendingPatches } from './pending-patches.ts';
import type { Connections } from '../engine/connections.ts';
import { createdAt, makeInsertLines, nastyTexts, openStoreRig, requestLine, type StoreRig, tenant } from '../testing/store-harness.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

async function storedMany(count: number, cells: Readonly<Record<string, unknown>> = {}): Promise<RequestId[]> {
  const rows = Array.from({ length: count }, () => requestLine(cells));
  await makeInsertLines(rig.connections)('requests', rows.map(({ line }) => line).join('\n'), `stored-${rows[0]?.id}`);
  return rows.map(({ id }) => id);
}

async function stored(cells: Readonly<Record<string, unknown>> = {}): Promise<RequestId> {
  const [id] = await storedMany(1, cells);
  if (id === undefined) throw new Error('nothing was stored');
  return id;
}

interface MutableFieldsRow {
  readonly properties: Readonly<Record<string, string>>;
  readonly scores: Readonly<Record<string, number>>;
  readonly feedback_number: number | null;
  readonly feedback_rating: boolean | null;
  readonly feedback_created_at: string | null;
  readonly session_id: string;
  readonly session_name: string;
}

async function fieldsOf(id: RequestId): Promise<MutableFieldsRow | undefined> {
  const columns = 'properties, scores, feedback_number, feedback_rating, feedback_created_at, session_id, session_name';
  return (await rig.run<MutableFieldsRow>(`SELECT ${columns} FROM requests WHERE id_text = '${id}'`))[0];
}

async function propertiesOf(id: RequestId): Promise<Readonly<Record<string, string>> | undefined> {
  return (await fieldsOf(id))?.properties;
}

interface HistoryRow {
  readonly kind: HistoryKind;
  readonly name: string;
  readonly old: string;
  readonly new: string;
  readonly key_id: string;
}

/** Of one request, oldest first: kind, name, value before, value after. */
async function historyOf(id: RequestId): Promise<[HistoryKind, string, ChangedValue | null, ChangedValue][]> {
  const rows = await rig.run<HistoryRow>(
    `SELECT kind, name, old, new FROM changes WHERE request_id = toUInt128('${uuidToNumber(id)}') ORDER BY changed_at, number, name`,
  );
  return rows.map((row) => [row.kind, row.name, JSON.parse(row.old) as ChangedValue | null, JSON.parse(row.new) as ChangedValue]);
}

let accepts = 0;

function changeOf(id: RequestId, change: Change, given: Partial<AcceptedChange> = {}): StoredChange {
  accepts += 1;
  const acceptedAt = 1_800_000_000_000 + accepts;
  const accepted = { organizationId: tenant, requestId: id, change, keyId: 'key', acceptedAt, number: acceptedAt * 1000, ...given };
  return { accepted, createdAt };
}

const property = (id: RequestId, values: Readonly<Record<string, string>>): StoredChange =>
  changeOf(id, { kind: 'property', values: new Map(Object.entries(values)) });
const score = (id: RequestId, values: Readonly<Record<string, number>>): StoredChange =>
  changeOf(id, { kind: 'score', values: new Map(Object.entries(values)) });
const feedback = (id: RequestId, rating: boolean): StoredChange => changeOf(id, { kind: 'feedback', rating });

/** The rig's connections, with a note of every turn that was taken on a lane. */
function counted(): { connections: Connections; lanes: string[] } {
  const lanes: string[] = [];
  const run: Connections['run'] = (lane, work) => {
    lanes.push(lane);
    return rig.connections.run(lane, work);
  };
  return { connections: { ...rig.connections, run }, lanes };
}

describe('a change of properties', () => {
  test('takes any name and value', async () => {
    const id = await stored({ properties: { kept: 'k', "it's": 'before\\' } });
    const nasty = [...nastyTexts, '__proto__', 'constructor'];
    const values = new Map(nasty.map((text, index) => [text, nasty[nasty.length - 1 - index] ?? '']));
    await makeChangeStored(rig.connections)(changeOf(id, { kind: 'property', values }));
    expect(new Map(Object.entries((await propertiesOf(id)) ?? {}))).toEqual(new Map([['kept', 'k'], ...values]));
    const history = new Map((await historyOf(id)).map(([, name, old, after]) => [name, [old, after]]));
    expect(history).toEqual(new Map([...values].map(([name, value]) => [name, [name === "it's" ? 'before\\' : null, value]])));
  });

  test('of many at once takes few statements, and each gets its own', async () => {
    const many = await storedMany(60);
    const { connections, lanes } = counted();
    const changeStored = makeChangeStored(connections);
    await Promise.all(many.flatMap((id) => ['a', 'b'].map((name) => changeStored(property(id, { [name]: `${name} of ${id}` })))));
    expect(lanes).toEqual(['update', 'history', 'update']);
    for (const id of many.slice(0, 5)) {
      expect(await propertiesOf(id)).toEqual({ a: `a of ${id}`, b: `b of ${id}` });
      expect(await historyOf(id)).toHaveLength(2);
    }
  });

  test('waits as long as others come, and shares the statements with them', async () => {
    const [first, ...others] = await storedMany(5);
    if (first === undefined) throw new Error('five were stored');
    const { connections, lanes } = counted();
    const coming = [...others];
    const outcomes: Promise<boolean>[] = [];
    const changeStored = makeChangeStored(connections, async () => {
      const id = coming.shift();
      if (id !== undefined) outcomes.push(changeStored(property(id, { a: id })));
    });
    await changeStored(property(first, { a: first }));
    expect(await Promise.all(outcomes)).toEqual(others.map(() => true));
    expect(lanes).toEqual(['update', 'history', 'update']);
    for (const id of [first, ...others]) expect(await propertiesOf(id)).toEqual({ a: id });
  });

  test('does not wait for ever while others come', async () => {
    const id = await stored();
    const others: Promise<boolean>[] = [];
    let isMade = false;
    const changeStored = makeChangeStored(rig.connections, async () => {
      if (!isMade && others.length < 400) others.push(changeStored(property(id, { b: String(others.length) })));
    });
    await changeStored(property(id, { a: '1' }));
    isMade = true;
    expect(others.length).toBeLessThan(400);
    await Promise.all(others);
    expect(await propertiesOf(id)).toEqual({ a: '1', b: String(others.length - 1) });
  });

  test('of one name several times at once: the last one wins, and each finds the value that the one before it left', async () => {
    const id = await stored({ properties: { n: '0' } });
    const changeStored = makeChangeStored(rig.connections);
    await Promise.all(['1', '2', '3', '4'].map((value) => changeStored(property(id, { n: value }))));
    expect(await propertiesOf(id)).toEqual({ n: '4' });
    expect(await historyOf(id)).toEqual(['1', '2', '3', '4'].map((value, index) => ['property', 'n', String(index), value]));
  });

  test('of large values is spread over several statements', async () => {
    const large = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`n${index}`, 'v'.repeat(8192)]));
    const several = await storedMany(12);
    const { connections, lanes } = counted();
    const changeStored = makeChangeStored(connections);
    await Promise.all(several.map((id) => changeStored(property(id, large))));
    expect(lanes.filter((lane) => lane === 'history').length).toBeGreaterThan(1);
    expect(Object.keys((await propertiesOf(several[11] ?? ('' as RequestId))) ?? {})).toHaveLength(64);
  });

  test('moves the session where it names one, and leaves the session of others in the same statement', async () => {
    const [moved, other] = await storedMany(2, { session_id: 's', session_name: 'n', properties: { 'Svc-Session-Id': 's' } });
    if (moved === undefined || other === undefined) throw new Error('two were stored');
    const changeStored = makeChangeStored(rig.connections);
    await Promise.all([
      changeStored(property(await stored(), { first: 'in line' })),
      changeStored(property(moved, { 'Svc-Session-Id': 't' })),
      changeStored(property(other, { a: 'b' })),
    ]);
    expect(await fieldsOf(moved)).toMatchObject({ session_id: 't', session_name: 'n', properties: { 'Svc-Session-Id': 't' } });
    expect(await fieldsOf(other)).toMatchObject({ session_id: 's', session_name: 'n', properties: { a: 'b' } });
  });
});

describe('a change of scores', () => {
  test('takes any finite number, and leaves the other scores', async () => {
    const numbers = [0, 1, -1, 0.1, 1 / 3, 0.1 + 0.2, 1e21, -1e-7, Number.MAX_VALUE, 5e-324, Number.MAX_SAFE_INTEGER];
    const id = await stored({ scores: { kept: 0.25, n3: 7 } });
    const values = Object.fromEntries(numbers.map((value, index) => [`n${index}`, value]));
    await makeChangeStored(rig.connections)(score(id, values));
    expect((await fieldsOf(id))?.scores).toEqual({ kept: 0.25, ...values });
    const history = Object.fromEntries((await historyOf(id)).map(([, name, old, after]) => [name, [old, after]]));
    expect(history).toEqual(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [name === 'n3' ? 7 : null, value]])));
  });
});

describe('a feedback', () => {
  test('is a number, a rating, a time and a score; the later one replaces it', async () => {
    const id = await stored({ scores: { other: 1 } });
    const changeStored = makeChangeStored(rig.connections);
    const good = feedback(id, true);
    await changeStored(good);
    expect(await fieldsOf(id)).toMatchObject({
      feedback_number: good.accepted.number,
      feedback_rating: true,
      feedback_created_at: new Date(good.accepted.acceptedAt).toISOString().slice(0, 23).replace('T', ' '),
      scores: { other: 1, 'svc-score-feedback': 1 },
    });
    const bad = feedback(id, false);
    await changeStored(bad);
    expect(await fieldsOf(id)).toMatchObject({
      feedback_number: bad.accepted.number,
      feedback_rating: false,
      scores: { other: 1, 'svc-score-feedback': 0 },
    });
    expect(await historyOf(id)).toEqual([
      ['feedback', 'svc-score-feedback', null, true],
      ['feedback', 'svc-score-feedback', true, false],
    ]);
  });
});

describe('changes of several kinds at once', () => {
  test('reach each its request and leave what they do not name', async () => {
    const ids = await storedMany(4, { properties: { p: 'old' }, scores: { s: 0.5 } });
    const [first, second, third, all] = ids as [RequestId, RequestId, RequestId, RequestId];
    const changeStored = makeChangeStored(rig.connections);
    await changeStored(feedback(third, false));
    await Promise.all([
      changeStored(property(await stored(), { first: 'in line' })),
      changeStored(property(first, { p: 'new' })),
      changeStored(score(second, { s: 1 })),
      changeStored(property(third, { q: 'new' })),
      ...[property(all, { p: 'new' }), score(all, { s: 1 }), feedback(all, true), score(all, { s: 2 })].map(changeStored),
    ]);
    expect(await fieldsOf(first)).toMatchObject({
      properties: { p: 'new' },
      scores: { s: 0.5 },
      feedback_rating: null,
      feedback_number: null,
    });
    expect(await fieldsOf(second)).toMatchObject({ properties: { p: 'old' }, scores: { s: 1 }, feedback_rating: null });
    expect(await fieldsOf(third)).toMatchObject({ properties: { p: 'old', q: 'new' }, feedback_rating: false });
    expect(await fieldsOf(all)).toMatchObject({
      properties: { p: 'new' },
      scores: { s: 2, 'svc-score-feedback': 1 },
      feedback_rating: true,
    });
    expect(await historyOf(all)).toEqual([
      ['property', 'p', 'old', 'new'],
      ['score', 's', 0.5, 1],
      ['feedback', 'svc-score-feedback', null, true],
      ['score', 's', 1, 2],
    ]);
  });
});

describe('a change', () => {
  test('that looks in the right place is made, also beside one of the same request that looks elsewhere', async () => {
    const id = await stored();
    const changeStored = makeChangeStored(rig.connections);
    const first = changeStored(property(await stored(), { first: 'in line' }));
    const elsewhen = { ...property(id, { a: '1' }), createdAt: createdAt + 1 };
    const outcomes = await Promise.all([elsewhen, property(id, { b: '2' })].map(changeStored));
    await first;
    expect(outcomes[1]).toBe(true);
    expect(await propertiesOf(id)).toMatchObject({ b: '2' });
  });

  test('of one organisation waits for one group of another at most, however many that one has sent', async () => {
    const changeStored = makeChangeStored(rig.connections);
    const [nobodys, others] = [randomUUID() as RequestId, randomUUID() as OrganizationId];
    let settled = 0;
    const burst = Array.from({ length: 2500 }, async () => {
      await changeStored(score(nobodys, { quality: 1 }));
      settled += 1;
    });
    const other = changeStored(changeOf(nobodys, { kind: 'feedback', rating: true }, { organizationId: others }));
    expect(await other.then((found) => [found, settled])).toEqual([false, 500]);
    await Promise.all(burst);
  });

  test('that fails fails for its callers, and the next one goes on', async () => {
    const id = await stored();
    let fails = true;
    const changeStored = makeChangeStored({
      ...rig.connections,
      run: (lane, work) => (fails ? Promise.reject(new Error('away')) : rig.connections.run(lane, work)),
    });
    await expect(changeStored(property(id, { a: '1' }))).rejects.toMatchObject({ code: 'store_unavailable' });
    fails = false;
    await changeStored(property(id, { a: '2' }));
    expect(await propertiesOf(id)).toEqual({ a: '2' });
  });

  test('shows in its request only once it is in the history', async () => {
    const id = await stored({ properties: { a: '0' } });
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      seen.push([await propertiesOf(id), (await historyOf(id)).length]);
    };
    const changeStored = makeChangeStored({
      ...rig.connections,
      run: async (lane, work) => {
        await look();
        return rig.connections.run(lane, work);
      },
    });
    await changeStored(property(id, { a: '1' }));
    await look();
    expect(seen).toEqual([
      [{ a: '0' }, 0],
      [{ a: '0' }, 0],
      [{ a: '0' }, 1],
      [{ a: '1' }, 1],
    ]);
  });

  test('whose history cannot be written is not made', async () => {
    const id = await stored({ properties: { a: '0' } });
    const changeStored = makeChangeStored({
      ...rig.connections,
      run: (lane, work) => (lane === 'history' ? Promise.reject(new Error('away')) : rig.connections.run(lane, work)),
    });
    await expect(changeStored(property(id, { a: '1' }))).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await propertiesOf(id)).toEqual({ a: '0' });
    expect(await historyOf(id)).toEqual([]);
  });

  test('whose update failed for a moment, or was made and not acknowledged, is made and in the history once', async () => {
    for (const isMade of [false, true]) {
      const id = await stored();
      let turns = 0;
      const changeStored = makeChangeStored({
        ...rig.connections,
        run: async (lane, work) => {
          turns += 1;
          if (turns !== 3) return rig.connections.run(lane, work);
          if (isMade) await rig.connections.run(lane, work);
          throw new Error('the answer was lost');
        },
      });
      await changeStored(feedback(id, true));
      expect(turns).toBe(4);
      expect(await fieldsOf(id)).toMatchObject({ feedback_rating: true });
      expect(await historyOf(id)).toHaveLength(1);
    }
  });

  test('whose history was written and not acknowledged has it once', async () => {
    const id = await stored();
    let written = 0;
    const changeStored = makeChangeStored({
      ...rig.connections,
      run: async (lane, work) => {
        const result = await rig.connections.run(lane, work);
        if (lane === 'history' && written++ === 0) throw new Error('the answer was lost');
        return result;
      },
    });
    await changeStored(property(id, { a: '1' }));
    expect(written).toBe(2);
    expect(await historyOf(id)).toEqual([['property', 'a', null, '1']]);
  });

  test('of a request that is not there, at another time or of another organisation leaves no history; others in its statement go on', async () => {
    const id = await stored();
    const changeStored = makeChangeStored(rig.connections);
    const other = await stored();
    const unknown = requestLine().id;
    const stranger = '00000000-0000-7000-8000-00000000000b' as OrganizationId;
    const foreign = changeOf(id, { kind: 'feedback', rating: true }, { organizationId: stranger });
    const elsewhen = { ...feedback(other, true), createdAt: createdAt + 1 };
    expect(await changeStored(elsewhen)).toBe(false);
    const outcomes = await Promise.all([property(unknown, { a: '1' }), property(id, { a: '1' }), foreign].map(changeStored));
    expect(outcomes).toEqual([false, true, false]);
    expect(await fieldsOf(other)).toMatchObject({ feedback_rating: null });
    expect(await historyOf(other)).toEqual([]);
    expect(await fieldsOf(id)).toMatchObject({ properties: { a: '1' }, feedback_rating: null });
    expect(await historyOf(unknown)).toEqual([]);
    expect(await historyOf(id)).toHaveLength(1);
  });
});

/** Notes how large each patch is told to be. */
class NotedPatches extends PendingPatches {
  readonly told: number[] = [];

  override flushIfOverLimit(connections: Connections, client: ClickHouseClient, bytes: number): Promise<void> {
    this.told.push(bytes);
    return super.flushIfOverLimit(connections, client, bytes);
  }
}

const filling = (previews: Readonly<Record<string, string>>): Change => ({
  kind: 'fill',
  values: new Map([['a', '1']]),
  over: new Map(),
  links: [],
  previews,
});

test('the previews that a change fills count in the size of its patch', async () => {
  const patches = new NotedPatches();
  const changeStored = makeChangeStored(rig.connections, undefined, patches);
  await changeStored(changeOf(await stored(), filling({})));
  await changeStored(changeOf(await stored(), filling({ input_preview: 'ü'.repeat(200), output_preview: 'Yes.' })));
  const [without = 0, withPreviews = 0] = patches.told;
  expect(withPreviews - without).toBe(404);
});
