import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import { type ChangeStored, makeChangeStored } from './change.ts';
import { PendingPatches } from './pending-patches.ts';
import { type ChangeStoredSession, makeChangeStoredSession, type SessionChange } from './session-changes.ts';
import { createdAt, makeInsertLines, nastyTexts, openStoreRig, requestLine, type StoreRig, tenant } from '../testing/store-harness.ts';

let rig: StoreRig;
let sessions: ChangeStoredSession;
let changeStored: ChangeStored;
beforeAll(async () => {
  rig = await openStoreRig();
  sessions = makeChangeStoredSession(rig.connections);
  changeStored = makeChangeStored(rig.connections);
});
afterAll(async () => rig.close());

let numbers = createdAt * 1000;

function changeOf(sessionId: string, values: Readonly<Record<string, string>>): SessionChange {
  numbers += 1;
  return {
    organizationId: tenant,
    sessionId,
    values: new Map(Object.entries(values)),
    keyId: 'key',
    acceptedAt: createdAt,
    number: numbers,
  };
}

/** Requests of a session, one a millisecond from the rig's time on; the one at a place has the identifier of it. */
async function fill(sessionId: string, count: number, first = 0): Promise<void> {
  const row = `toUInt128('${uuidToNumber(tenant)}'), fromUnixTimestamp64Milli(toInt64(${createdAt} + number), 'UTC'), toUInt128(number), '${sessionId}', map('Svc-Session-Id', '${sessionId}', 'Old', 'kept')`;
  await rig.connections.run('insert', (client) =>
    client.command({
      query: `INSERT INTO requests (org_id, created_at, request_id, session_id, properties) SELECT ${row} FROM numbers(${first}, ${count})`,
      clickhouse_settings: { insert_deduplication_token: `filled-${first}` },
    }),
  );
}

const idOfPlace = (place: number): RequestId => uuidOfHex(place.toString(16).padStart(32, '0'));

async function putAt(place: number, values: Readonly<Record<string, string>>): Promise<void> {
  numbers += 1;
  const change = { kind: 'property', values: new Map(Object.entries(values)) } as const;
  const accepted = { organizationId: tenant, requestId: idOfPlace(place), change, keyId: 'key', acceptedAt: createdAt, number: numbers };
  expect(await changeStored({ accepted, createdAt: createdAt + place })).toBe(true);
}

/** How many requests of a session have each combination of these properties. */
async function counted(sessionId: string, names: readonly string[]): Promise<Record<string, number>> {
  const cells = names.map((name) => `if(mapContains(properties, '${name}'), properties['${name}'], '-')`).join(`, '|', `);
  const rows = await rig.run<{ cells: string; n: number | string }>(
    `SELECT concat(${cells}, '') AS cells, count() AS n FROM requests WHERE session_id = '${sessionId}' GROUP BY cells`,
  );
  return Object.fromEntries(rows.map(({ cells: text, n }) => [text, Number(n)]));
}

async function mutations(): Promise<number> {
  const [row] = await rig.run<{ n: number | string }>(
    `SELECT count() AS n FROM system.mutations WHERE table = 'requests' AND command LIKE '%UPDATE%'`,
  );
  return Number(row?.n);
}

async function merges(): Promise<number> {
  const [row] = await rig.run<{ n: number | string }>(
    `SELECT count() AS n FROM system.mutations WHERE table = 'requests' AND command LIKE '%APPLY PATCHES%'`,
  );
  return Number(row?.n);
}

/** So many properties of one value, with numbered names. */
function some(first: number, count: number, value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${first + index}`, value]));
}

describe('a change of a session', () => {
  test('writes any text, leaves what it does not name, and reaches nobody twice', async () => {
    const { line } = requestLine({ session_id: "it's", properties: { kept: 'k' } });
    const other = requestLine({ session_id: 'other' });
    await makeInsertLines(rig.connections)('requests', [line, other.line].join('\n'), 'texts');
    const values = Object.fromEntries(nastyTexts.map((text, index) => [`${text}-${index}`, text]));
    const change = changeOf("it's", values);
    await sessions.writeHistory(change);
    expect([await sessions.update(change), await sessions.update(change)]).toEqual([1, 0]);
    const rows = await rig.run<{ properties: unknown; n: number }>(
      `SELECT properties, length(session_changes) AS n FROM requests WHERE session_id IN ('it\\'s', 'other') ORDER BY n DESC`,
    );
    expect(rows).toEqual([
      { properties: { kept: 'k', ...values }, n: 1 },
      { properties: {}, n: 0 },
    ]);
    const history = await rig.run<{ name: string; new: string }>(`SELECT name, new FROM session_changes WHERE session_id = 'it\\'s'`);
    expect(Object.fromEntries(history.map((entry) => [entry.name, JSON.parse(entry.new)]))).toEqual(values);
  });

  test('of more than 10,000 requests goes by mutation, between changes of single ones, and loses none of them', async () => {
    await fill('long', 10_000);
    await putAt(0, { First: 'before', Shared: 'before' });
    expect(await sessions.update(changeOf('long', { Team: 'patched', Shared: 'all' }))).toBe(10_000);
    expect(await mutations()).toBe(0);
    await fill('long', 1, 10_000);
    await putAt(1, { First: 'before' });
    const inserted = fill('long', 50, 10_001);
    const change = sessions.update(changeOf('long', { Team: 'mutated', 'Svc-Session-Name': 'named', Shared: 'all again' }));
    // Another change of the organisation waits for it (`ingest/changes/organization-lock.ts`).
    const [found] = await Promise.all([change, inserted]);
    await Promise.all([putAt(2, { Second: 'behind' }), putAt(3, { Team: 'own' })]);
    expect(found).toBeGreaterThanOrEqual(10_001);
    expect(await mutations()).toBe(1);
    await putAt(4, { Second: 'after', Shared: 'own' });
    // Of the fifty that came meanwhile each has the change whole or not at all.
    const { named = 0 } = await counted('long', ['Svc-Session-Name']);
    expect(named).toBeGreaterThanOrEqual(found);
    const late = named === 10_051 ? {} : { '-': 10_051 - named };
    expect(await counted('long', ['Team'])).toEqual({ mutated: named - 1, own: 1, ...late });
    expect(await counted('long', ['Shared'])).toEqual({ 'all again': named - 1, own: 1, ...late });
    expect(await counted('long', ['First', 'Second'])).toEqual({ 'before|-': 2, '-|behind': 1, '-|after': 1, '-|-': 10_047 });
    expect(await counted('long', ['Old'])).toEqual({ kept: 10_051 });
    const [row] = await rig.run<{ n: number }>(`SELECT count() AS n FROM requests WHERE session_id = 'long' AND session_name = 'named'`);
    expect(Number(row?.n)).toBe(named);
  });

  test('that is rewritten holds up no change of another organisation, and both are there', async () => {
    const control = async (query: string): Promise<void> =>
      rig.connections.run('control', async (client) => void (await client.command({ query })));
    const other = '00000000-0000-7000-8000-00000000000b' as OrganizationId;
    const { id, line } = requestLine({ org_id: uuidToNumber(other).toString(), properties: { Own: 'before' } });
    await fill('rewritten', 20, 900_000);
    await makeInsertLines(rig.connections)('requests', line, 'another-organisation');
    const rewriting = makeChangeStoredSession(rig.connections, { maxPatched: 10 });
    await control('SYSTEM STOP MERGES requests');
    try {
      let ended = false;
      const before = await mutations();
      const changed = rewriting.update(changeOf('rewritten', { Team: 'red' })).finally(() => {
        ended = true;
      });
      await vi.waitFor(async () => expect(await mutations()).toBe(before + 1), { timeout: 10_000 });
      numbers += 1;
      const change = { kind: 'property', values: new Map([['Own', 'after']]) } as const;
      const accepted = { organizationId: other, requestId: id, change, keyId: 'key', acceptedAt: createdAt, number: numbers };
      expect(await changeStored({ accepted, createdAt })).toBe(true);
      expect(ended).toBe(false);
      await control('SYSTEM START MERGES requests');
      expect(await changed).toBe(20);
    } finally {
      await control('SYSTEM START MERGES requests');
    }
    expect(await counted('rewritten', ['Team', 'Old'])).toEqual({ 'red|kept': 20 });
    const [row] = await rig.run<{ own: string }>(
      `SELECT properties['Own'] AS own FROM requests WHERE org_id = toUInt128('${uuidToNumber(other)}')`,
    );
    expect(row).toEqual({ own: 'after' });
  });

  test('is found by its new values, whatever the index said before', async () => {
    await rig.connections.run('update', (client) => client.command({ query: 'OPTIMIZE TABLE requests FINAL' }));
    await sessions.update(changeOf('long', { Fresh: 'value' }));
    const [row] = await rig.run<{ n: number }>(
      `SELECT count() AS n FROM requests WHERE mapContains(properties, 'Fresh') AND properties['Fresh'] = 'value' AND session_id = 'long'`,
    );
    expect(Number(row?.n)).toBe(10_051);
  });

  test('that would write more than one change may is refused, and changes nothing', async () => {
    const values = Object.fromEntries(Array.from({ length: 1 }, (_, index) => [`big-${index}`, 'x'.repeat(8192)]));
    await expect(sessions.count(changeOf('long', values))).rejects.toMatchObject({ code: 'query_too_large' });
    await expect(sessions.update(changeOf('long', values))).rejects.toMatchObject({ code: 'query_too_large' });
    expect(await counted('long', ['big-0'])).toEqual({ '-': 10_051 });
  });

  test('of few requests and many bytes goes by mutation too, and so none of the largest stops a read', async () => {
    await fill('wide', 250, 20_000);
    const before = await mutations();
    // 250 requests, 30 names of 8 KiB: nearly all that one change may write.
    for (const letter of ['a', 'b', 'c']) {
      const values = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`wide-${index}`, letter.repeat(8192)]));
      expect(await sessions.update(changeOf('wide', values))).toBe(250);
    }
    expect(await mutations()).toBe(before + 3);
    expect(await sessions.update(changeOf('wide', { Short: 'name' }))).toBe(250);
    expect(await mutations()).toBe(before + 4);
    expect(await counted('wide', ['Short'])).toEqual({ name: 250 });
    const readers = [
      `SELECT request_id, properties FROM requests WHERE session_id = 'wide' ORDER BY created_at LIMIT 2`,
      `SELECT request_id, properties FROM requests ORDER BY created_at DESC, request_id DESC LIMIT 10`,
    ];
    for (const text of readers) expect((await rig.run(text)).length).toBeGreaterThan(1);
  });

  test('after which a request would have too many or too long properties is refused, unless it makes them less', async () => {
    await fill('full', 2, 30_000);
    for (const first of [0, 64, 128]) await sessions.update(changeOf('full', some(first, 64, '')));
    // With `Old` and `Svc-Session-Id` there are 194.
    expect(await sessions.count(changeOf('full', some(192, 62, '')))).toBe(2);
    await expect(sessions.count(changeOf('full', some(192, 63, '')))).rejects.toMatchObject({
      code: 'query_too_large',
      message: expect.stringMatching(/^2 of the 2 requests of the session would have too many or too long properties/) as string,
    });
    await putAt(30_000, some(0, 64, 'x'.repeat(8000)));
    await putAt(30_000, some(64, 64, 'x'.repeat(8000)));
    await expect(sessions.count(changeOf('full', some(128, 4, 'x'.repeat(8000))))).rejects.toMatchObject({
      message: expect.stringMatching(/^1 of the 2 requests/) as string,
    });
    expect(await sessions.count(changeOf('full', some(0, 64, 'y'.repeat(8000))))).toBe(2);
    await expect(putAt(30_000, some(128, 4, 'x'.repeat(8000)))).rejects.toMatchObject({
      code: 'query_too_large',
      message: expect.stringMatching(/^Request \S+ would have too many or too long properties/) as string,
    });
    await putAt(30_000, some(0, 64, 'less'));
    await putAt(30_000, some(128, 4, 'x'.repeat(8000)));
  });
});

describe('pending patches', () => {
  test('are merged when there would be more than reads may have to apply, and not before', async () => {
    await fill('patched', 20, 40_000);
    await rig.connections.run('update', (client) =>
      client.command({ query: 'ALTER TABLE requests APPLY PATCHES SETTINGS mutations_sync = 1' }),
    );
    const patches = new PendingPatches(1, 3_000_000);
    const patched = makeChangeStoredSession(rig.connections, { patches });
    const before = await merges();
    const seen: number[] = [];
    for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const values = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${letter}-${index}`, letter.repeat(8192)]));
      expect(await patched.update(changeOf('patched', values))).toBe(20);
      seen.push((await merges()) - before);
    }
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBeGreaterThan(0);
    expect(seen.at(-1)).toBeLessThan(6);
    const [row] = await rig.run<{ n: number }>(`SELECT min(length(properties)) AS n FROM requests WHERE session_id = 'patched'`);
    expect(Number(row?.n)).toBe(32);
  });

  test('are not merged while the disk is full: the change is refused, and the next one merges them', async () => {
    await fill('full', 2, 40_000);
    const patches = new PendingPatches(1, 1);
    let room = false;
    const connections = { ...rig.connections, hasFreeSpace: () => room };
    const makeRoom = (): Promise<void> => rig.connections.run('update', (client) => patches.flushIfOverLimit(connections, client, 2));
    const before = await merges();
    await expect(makeRoom()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await merges()).toBe(before);
    room = true;
    await makeRoom();
    expect(await merges()).toBeGreaterThan(before);
  });
});
