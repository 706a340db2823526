import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { filesHolding } from '../../../test/support/held-text.ts';
import { makeChangeStored } from '../update/change.ts';
import { makeEraseStored, type StoreErasure } from './erasure.ts';
import { makeRemoveExpired } from './retention.ts';
import { makeChangeStoredSession } from '../update/session-changes.ts';
import { makeSetSessionTag } from '../update/session-tags.ts';
import { createdAt, lineOf, makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../testing/store-harness.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

const { signal } = new AbortController();
let numbers = createdAt * 1000;

/** Text that no compression hides: looked for in the files of the store. */
const secret = (): string => randomBytes(48).toString('base64url');

const filesWith = (text: string, folder = rig.folder): readonly string[] => [...filesHolding(folder, text).keys()];

interface Planted {
  readonly userId: string;
  readonly sessionId?: string;
  readonly body?: string;
  readonly at?: number;
  readonly organizationId?: OrganizationId;
}

async function plant({ userId, sessionId = '', body = '{}', at = createdAt, organizationId = tenant }: Planted): Promise<RequestId> {
  const key = { org_id: uuidToNumber(organizationId).toString(), created_at: String(at / 1000) };
  const { id, line } = requestLine({ ...key, user_id: userId, session_id: sessionId });
  const bodies = { ...key, request_id: uuidToNumber(id).toString(), request_kind: 'json', request_body: body, response_kind: 'absent' };
  const insert = makeInsertLines(rig.connections);
  await insert('bodies', lineOf('bodies', bodies), `bodies-${id}`);
  await insert('requests', line, `requests-${id}`);
  return id;
}

async function put(requestId: RequestId, name: string, value: string, organizationId = tenant): Promise<boolean> {
  numbers += 1;
  const change = { kind: 'property', values: new Map([[name, value]]) } as const;
  const accepted = { organizationId, requestId, change, keyId: 'key', acceptedAt: createdAt, number: numbers };
  return makeChangeStored(rig.connections)({ accepted, createdAt });
}

async function tagAndChange(sessionId: string, tag: string): Promise<void> {
  numbers += 1;
  const given = { organizationId: tenant, sessionId, keyId: 'key', acceptedAt: createdAt, number: numbers };
  await makeSetSessionTag(rig.connections)({ ...given, tag });
  const sessions = makeChangeStoredSession(rig.connections);
  await sessions.writeHistory({ ...given, values: new Map([['Of', tag]]) });
  await sessions.update({ ...given, values: new Map([['Of', tag]]) });
}

let erasures = 0;
async function erase(userId: string, given: Partial<StoreErasure> = {}) {
  erasures += 1;
  const erasure: StoreErasure = { number: erasures, organizationId: tenant, userId, erasedAt: createdAt, ...given };
  const store = makeEraseStored(rig.connections);
  const counts = await store.list(erasure, signal);
  await store.removeRequests(erasure, signal);
  await store.removeRest(erasure, signal);
  return { counts, removeFiles: () => store.removeFiles(erasure, signal) };
}

const rowsOf = async (table: string, column: string): Promise<readonly string[]> =>
  (await rig.run<{ cell: string }>(`SELECT toString(${column}) AS cell FROM ${table} ORDER BY cell`)).map(({ cell }) => cell);

const numberOf = (id: RequestId): string => uuidToNumber(id).toString();

describe('an erasure of a user', () => {
  it('takes out requests, bodies and history, with changes that wait and that were merged, and leaves everybody else as they were', async () => {
    const month = 31 * 24 * 3_600_000;
    const [hers, hersLater, his] = [
      await plant({ userId: 'ann', body: '"hers"' }),
      await plant({ userId: 'ann', at: createdAt + month }),
      await plant({ userId: 'bob' }),
    ];
    const foreign = '00000000-0000-7000-8000-00000000000b' as OrganizationId;
    const namesake = await plant({ userId: 'ann', organizationId: foreign });
    await put(hers, 'Merged', 'hers');
    await put(his, 'Merged', 'his');
    await rig.connections.run('update', (client) =>
      client.command({ query: 'ALTER TABLE requests APPLY PATCHES SETTINGS mutations_sync = 1' }),
    );
    await put(hers, 'Waits', 'hers');
    await put(his, 'Waits', 'his');
    const { counts } = await erase('ann', { erasedAt: createdAt + month });
    expect(counts).toEqual({ requests: 2, bodies: 2 });
    expect(await rowsOf('requests', 'request_id')).toEqual([his, namesake].map(numberOf).toSorted());
    expect(await rowsOf('bodies', 'request_id')).toEqual([his, namesake].map(numberOf).toSorted());
    expect(await rowsOf('changes', 'request_id')).toEqual([numberOf(his), numberOf(his)]);
    expect(await rig.run(`SELECT properties FROM requests WHERE request_id = toUInt128('${numberOf(his)}')`)).toEqual([
      { properties: { Merged: 'his', Waits: 'his' } },
    ]);
    expect(await put(hersLater, 'After', 'x')).toBe(false);
    expect(await put(his, 'After', 'x')).toBe(true);
  });

  it('lists its requests page by page', async () => {
    const planted = [];
    for (let count = 0; count < 3; count += 1) planted.push(await plant({ userId: 'lil' }));
    erasures += 1;
    const erasure: StoreErasure = { number: erasures, organizationId: tenant, userId: 'lil', erasedAt: createdAt };
    const store = makeEraseStored(rig.connections);
    // Twice, as after a kill.
    for (let count = 0; count < 2; count += 1) await store.list(erasure, signal);
    const [first, ...rest] = planted.toSorted();
    expect(await store.readList(erasure, undefined, signal)).toEqual([first, ...rest]);
    expect(await store.readList(erasure, first, signal)).toEqual(rest);
    expect(await store.readList(erasure, rest.at(-1), signal)).toEqual([]);
    expect(await store.readList({ ...erasure, number: erasures + 1000 }, undefined, signal)).toEqual([]);
  });

  it('leaves what came after it', async () => {
    await plant({ userId: 'cid' });
    const later = await plant({ userId: 'cid', at: createdAt + 1 });
    expect((await erase('cid')).counts.requests).toBe(1);
    expect(await rig.run(`SELECT toString(request_id) AS id FROM requests WHERE user_id = 'cid'`)).toEqual([{ id: numberOf(later) }]);
  });

  it('takes a name as the bytes that it has: one that begins with another and goes on behind a NUL is another user', async () => {
    const [max, nobody] = [await plant({ userId: 'max' }), await plant({ userId: '' })];
    await plant({ userId: 'max\0x' });
    await plant({ userId: '\0' });
    expect((await erase('max\0x')).counts.requests).toBe(1);
    expect((await erase('\0')).counts.requests).toBe(1);
    expect(await rowsOf('requests', 'request_id')).toEqual(expect.arrayContaining([numberOf(max), numberOf(nobody)]));
    expect(await rig.run(`SELECT 1 FROM requests WHERE position(user_id, char(0)) > 0`)).toEqual([]);
  });

  it('takes out the tags and changes of sessions in which nobody else had part', async () => {
    await plant({ userId: 'dora', sessionId: 'alone' });
    await plant({ userId: 'dora', sessionId: 'shared' });
    await plant({ userId: 'eve', sessionId: 'shared' });
    await tagAndChange('alone', 'a');
    await tagAndChange('shared', 's');
    await erase('dora');
    expect(await rowsOf('session_tags', 'session_id')).toEqual(['shared']);
    expect(await rowsOf('session_changes', 'session_id')).toEqual(['shared']);
  });

  it('holds up neither queries nor inserts nor changes while the engine rewrites', async () => {
    await plant({ userId: 'ivy' });
    const his = await plant({ userId: 'jim' });
    const merges = (verb: string): Promise<unknown> =>
      rig.connections.run('long', (client) => client.command({ query: `SYSTEM ${verb} MERGES requests` }));
    await merges('STOP');
    let isErased = false;
    const erasing = erase('ivy').then(() => {
      isErased = true;
    });
    const ordered = "SELECT 1 FROM system.mutations WHERE table = 'requests' AND NOT is_done";
    for (let looks = 0; looks < 1000 && (await rig.run(ordered)).length === 0; looks += 1) await wait(10);
    await plant({ userId: 'jim' });
    expect(await put(his, 'Meanwhile', 'x')).toBe(true);
    expect(await rig.run(`SELECT count() AS n FROM requests WHERE user_id = 'jim' AND properties['Meanwhile'] = 'x'`)).toEqual([{ n: 1 }]);
    expect(isErased).toBe(false);
    await merges('START');
    await erasing;
    expect(await rig.run(`SELECT user_id, properties FROM requests WHERE user_id IN ('ivy', 'jim') ORDER BY length(properties)`)).toEqual([
      { user_id: 'jim', properties: {} },
      { user_id: 'jim', properties: { Meanwhile: 'x' } },
    ]);
  });

  it('writes nothing while the disk is full, is refused, and the next try takes back the settings that its last one could not', async () => {
    await plant({ userId: 'kim', body: '"x"' });
    let looks = Number.MAX_SAFE_INTEGER;
    const store = makeEraseStored({
      ...rig.connections,
      hasFreeSpace: () => {
        looks -= 1;
        return looks >= 0;
      },
    });
    const described = (): Promise<unknown> =>
      rig.run('SELECT name, metadata_modification_time FROM system.tables WHERE database = currentDatabase() ORDER BY name');
    const refusal = { code: 'store_unavailable', message: expect.stringContaining('full') as string };
    erasures += 1;
    const erasure = { number: erasures, organizationId: tenant, userId: 'kim', erasedAt: createdAt };
    looks = 0;
    await expect(store.list(erasure, signal)).rejects.toMatchObject(refusal);
    expect(await rowsOf('removals', 'removal')).not.toContain(String(erasures));
    looks = Number.MAX_SAFE_INTEGER;
    expect(await store.list(erasure, signal)).toEqual({ requests: 1, bodies: 1 });
    await store.removeRequests(erasure, signal);
    await store.removeRest(erasure, signal);
    const engines = (): Promise<unknown> =>
      rig.run('SELECT name, engine_full FROM system.tables WHERE database = currentDatabase() ORDER BY name');
    const [before, settings] = [await described(), await engines()];
    looks = 0;
    await expect(store.removeFiles(erasure, signal)).rejects.toMatchObject(refusal);
    expect(await described()).toEqual(before);
    // The disk fills after the first tables have their settings.
    looks = 8;
    await expect(store.removeFiles(erasure, signal)).rejects.toMatchObject(refusal);
    expect(await engines()).not.toEqual(settings);
    looks = Number.MAX_SAFE_INTEGER;
    await store.removeFiles(erasure, signal);
    expect(await engines()).toEqual(settings);
  });

  it('may be repeated from its beginning', async () => {
    await plant({ userId: 'fred', body: '"x"' });
    erasures += 1;
    const again = { number: erasures, organizationId: tenant, userId: 'fred', erasedAt: createdAt };
    const store = makeEraseStored(rig.connections);
    await store.list(again, signal);
    expect(await store.list(again, signal)).toEqual({ requests: 1, bodies: 1 });
    for (let time = 0; time < 2; time += 1) {
      await store.removeRequests(again, signal);
      await store.removeRest(again, signal);
      await store.removeFiles(again, signal);
    }
    expect(await rig.run(`SELECT 1 FROM requests WHERE user_id = 'fred'`)).toEqual([]);
  });

  it('takes its turns out of a session that others share, whose bodies lie in one block, and counts them alone', async () => {
    const conversation = secret().repeat(20);
    const turns = ['kim', 'lou', 'kim', 'lou', 'kim'].map((userId, turn) => ({
      userId,
      sessionId: 'shared',
      body: JSON.stringify(`${conversation} turn ${turn}`),
      at: createdAt + turn,
    }));
    const ids: RequestId[] = [];
    for (const turn of turns) ids.push(await plant(turn));
    await rig.connections.run('update', (client) => client.command({ query: 'OPTIMIZE TABLE bodies FINAL' }));
    const { counts, removeFiles } = await erase('kim', { erasedAt: createdAt + turns.length });
    await removeFiles();
    expect(counts).toEqual({ requests: 3, bodies: 3 });
    const left = await rig.run<{ id: string; body: string }>(
      `SELECT toString(request_id) AS id, request_body AS body FROM bodies WHERE request_body LIKE '%turn%' ORDER BY created_at`,
    );
    expect(left).toEqual([1, 3].map((turn) => ({ id: numberOf(ids[turn] as RequestId), body: turns[turn]?.body })));
  });

  it('leaves nothing of it in any file', async () => {
    const [body, merged, waits, tag, hidden] = [secret(), secret(), secret(), secret(), secret()] as const;
    const merges = (verb: 'STOP' | 'START') =>
      rig.connections.run('update', (client) => client.command({ query: `SYSTEM ${verb} MERGES bodies` }));
    // Only alone in its part is a text too short to be compressed.
    await merges('STOP');
    const hers = await plant({ userId: 'gina', sessionId: 'gina alone', body: JSON.stringify(body) });
    await plant({ userId: 'gina', body: JSON.stringify(hidden), at: createdAt - 60_000 });
    const his = await plant({ userId: 'hal', body: JSON.stringify('his') });
    await put(hers, 'Merged', merged);
    await rig.connections.run('update', (client) =>
      client.command({ query: 'ALTER TABLE requests APPLY PATCHES SETTINGS mutations_sync = 1' }),
    );
    await put(hers, 'Waits', waits);
    await put(his, 'Waits', 'his');
    await tagAndChange('gina alone', tag);
    const secrets = { body, merged, waits, tag, hidden };
    const found = (): string[] => Object.entries(secrets).flatMap(([name, text]) => (filesWith(text).length > 0 ? [name] : []));
    expect(found()).toEqual(Object.keys(secrets));
    await merges('START');
    await makeRemoveExpired(rig.connections)({ organizations: [tenant], before: createdAt - 30_000 }, signal);
    const { counts, removeFiles } = await erase('gina');
    expect(counts.requests).toBe(1);
    await removeFiles();
    expect(found()).toEqual([]);
    expect(await rig.run(`SELECT properties FROM requests WHERE user_id = 'hal'`)).toEqual([{ properties: { Waits: 'his' } }]);
    expect(await rig.run(`SELECT engine_full LIKE '%old_parts_lifetime%' AS stays FROM system.tables WHERE name = 'requests'`)).toEqual([
      { stays: 0 },
    ]);
    expect(await rowsOf('removals', 'request_id')).not.toContain(numberOf(hers));
  });

  it('is not over while a query still reads a file that holds any of it, and is once it does not, however many files inserts replace', async () => {
    const body = secret();
    await plant({ userId: 'ida', body: JSON.stringify(body) });
    const reads = new AbortController();
    const reading = rig.run(
      `SELECT sum(sleepEachRow(1)) FROM bodies WHERE request_body != '' SETTINGS function_sleep_max_microseconds_per_block = 60000000`,
      {
        lane: 'long',
        signal: reads.signal,
      },
    );
    const ended = reading.catch(() => undefined);
    const begun = `SELECT 1 FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'`;
    for (let looks = 0; looks < 1000 && (await rig.run(begun)).length === 0; looks += 1) await wait(10);
    const erasure: StoreErasure = { number: 1_000, organizationId: tenant, userId: 'ida', erasedAt: createdAt };
    const hasty = makeEraseStored(rig.connections, 2);
    await hasty.list(erasure, signal);
    await hasty.removeRequests(erasure, signal);
    await hasty.removeRest(erasure, signal);
    await expect(hasty.removeFiles(erasure, signal)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(filesWith(body)).not.toEqual([]);
    reads.abort();
    await ended;
    await plant({ userId: 'joe' });
    await makeEraseStored(rig.connections).removeFiles(erasure, signal);
    expect(filesWith(body)).toEqual([]);
  });
});
