import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RequestId, uuidOfHex, uuidToNumber } from '../model/ids.ts';
import { type ChangeStored, makeChangeStored } from './change.ts';
import { makeInsertRows } from './insert.ts';
import { type ChangeStoredSession, makeChangeStoredSession, type SessionChange } from './session-changes.ts';
import { createdAt, nastyTexts, openStoreRig, requestLine, type StoreRig, tenant } from './store-rig.ts';

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

describe('a change of a session', () => {
  test('writes any text, leaves what it does not name, and reaches nobody twice', async () => {
    const { line } = requestLine({ session_id: "it's", properties: { kept: 'k' } });
    const other = requestLine({ session_id: 'other' });
    await makeInsertRows(rig.connections)('requests', [line, other.line].join('\n'), 'texts');
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
    const meanwhile = Promise.all([putAt(2, { Second: 'meanwhile' }), putAt(3, { Team: 'own' })]);
    const [found] = await Promise.all([change, meanwhile, inserted]);
    expect(found).toBeGreaterThanOrEqual(10_001);
    expect(await mutations()).toBe(1);
    await putAt(4, { Second: 'after', Shared: 'own' });
    // Of the fifty that came meanwhile each has the change whole or not at all.
    const { named = 0 } = await counted('long', ['Svc-Session-Name']);
    expect(named).toBeGreaterThanOrEqual(found);
    const late = named === 10_051 ? {} : { '-': 10_051 - named };
    expect(await counted('long', ['Team'])).toEqual({ mutated: named - 1, own: 1, ...late });
    expect(await counted('long', ['Shared'])).toEqual({ 'all again': named - 1, own: 1, ...late });
    expect(await counted('long', ['First', 'Second'])).toEqual({ 'before|-': 2, '-|meanwhile': 1, '-|after': 1, '-|-': 10_047 });
    expect(await counted('long', ['Old'])).toEqual({ kept: 10_051 });
    const [row] = await rig.run<{ n: number }>(`SELECT count() AS n FROM requests WHERE session_id = 'long' AND session_name = 'named'`);
    expect(Number(row?.n)).toBe(named);
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
    const values = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`big-${index}`, 'x'.repeat(8192)]));
    await expect(sessions.count(changeOf('long', values))).rejects.toMatchObject({ code: 'query_too_large' });
    await expect(sessions.update(changeOf('long', values))).rejects.toMatchObject({ code: 'query_too_large' });
    expect(await counted('long', ['big-0'])).toEqual({ '-': 10_051 });
  });
});
