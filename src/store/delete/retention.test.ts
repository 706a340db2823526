import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { makeChangeStored } from '../update/change.ts';
import { type Expiry, makeRemoveExpired } from './retention.ts';
import { makeSetSessionTag } from '../update/session-tags.ts';
import { lineOf, makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../testing/store-harness.ts';

let rig: StoreRig | undefined;
const opened = async (): Promise<StoreRig> => (rig ??= await openStoreRig());
afterAll(async () => rig?.close());

const tables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes'] as const;
beforeEach(async () => {
  const { connections } = await opened();
  for (const table of tables) await connections.run('update', (client) => client.command({ query: `TRUNCATE TABLE ${table}` }));
});

const { signal } = new AbortController();
const other = '00000000-0000-7000-8000-00000000000b' as OrganizationId;
const at = (text: string): number => Date.parse(`${text}Z`);
let numbers = at('2026-01-01T00:00') * 1000;

interface Planted {
  readonly time: string;
  readonly organizationId?: OrganizationId;
  readonly sessionId?: string;
  /** A caller's own identifier. */
  readonly as?: RequestId;
}

async function plant({ time, organizationId = tenant, sessionId = '', as }: Planted): Promise<RequestId> {
  const { connections } = await opened();
  const key = { org_id: uuidToNumber(organizationId).toString(), created_at: time.replace('T', ' ') };
  const fresh = requestLine();
  const id = as ?? fresh.id;
  const line = lineOf('requests', { ...key, request_id: uuidToNumber(id).toString(), session_id: sessionId });
  const insert = makeInsertLines(connections);
  await insert('bodies', lineOf('bodies', { ...key, request_id: uuidToNumber(id).toString() }), `bodies-${organizationId}-${id}`);
  await insert('requests', line, `requests-${organizationId}-${id}`);
  return id;
}

async function put(requestId: RequestId, time: string, changedAt: string): Promise<void> {
  numbers += 1;
  const change = { kind: 'property', values: new Map([['Changed', 'x']]) } as const;
  const accepted = { organizationId: tenant, requestId, change, keyId: 'key', acceptedAt: at(changedAt), number: numbers };
  expect(await makeChangeStored((await opened()).connections)({ accepted, createdAt: at(time) })).toBe(true);
}

async function tag(sessionId: string, changedAt: string): Promise<void> {
  numbers += 1;
  const given = { organizationId: tenant, sessionId, tag: 't', keyId: 'key', acceptedAt: at(changedAt), number: numbers };
  await makeSetSessionTag((await opened()).connections)(given);
}

async function removeExpired(before: string, organizations?: Expiry['organizations']): Promise<number> {
  return makeRemoveExpired((await opened()).connections)({ organizations, before: at(before) }, signal);
}

async function left(table: string, column = 'request_id'): Promise<readonly string[]> {
  const rows = await (await opened()).run<{ cell: string }>(`SELECT toString(${column}) AS cell FROM ${table} ORDER BY cell`);
  return rows.map(({ cell }) => cell);
}

const numbersOf = (...ids: readonly RequestId[]): string[] => ids.map((id) => uuidToNumber(id).toString()).toSorted();

describe('retention', () => {
  it('removes what is older, of all organisations, from every table, to the millisecond', async () => {
    const gone = [
      await plant({ time: '2025-11-03T10:00:00.000' }),
      await plant({ time: '2026-01-15T09:59:59.999', organizationId: other }),
    ] as const;
    const kept = await plant({ time: '2026-01-15T10:00:00.000' });
    await put(gone[0], '2025-11-03T10:00', '2025-11-03T11:00');
    await put(kept, '2026-01-15T10:00', '2026-01-15T11:00');
    expect(await removeExpired('2026-01-15T10:00')).toBe(2);
    expect(await left('requests')).toEqual(numbersOf(kept));
    expect(await left('bodies')).toEqual(numbersOf(kept));
    expect(await left('changes')).toEqual(numbersOf(kept));
    expect(await removeExpired('2026-01-15T10:00')).toBe(0);
  });

  it('finishes a run that was cut when the requests had gone', async () => {
    const time = '2026-01-15T09:00:00.000';
    const cut = await plant({ time });
    await put(cut, time, '2026-01-15T09:30');
    const { connections } = await opened();
    await connections.run('update', (client) => client.command({ query: 'DELETE FROM requests WHERE 1' }));
    expect([await left('requests'), await left('bodies'), await left('changes')]).toEqual([[], numbersOf(cut), numbersOf(cut)]);
    await removeExpired('2026-01-15T10:00');
    expect([await left('bodies'), await left('changes')]).toEqual([[], []]);
  });

  it('drops whole months with their files, and their changes that wait', async () => {
    const old = await plant({ time: '2025-12-31T23:59:59.999' });
    await put(old, '2025-12-31T23:59:59.999', '2026-01-02T00:00');
    const kept = await plant({ time: '2026-01-01T00:00:00.000' });
    await put(kept, '2026-01-01T00:00', '2026-01-02T00:00');
    await removeExpired('2026-01-01T00:00');
    const parts = await (
      await opened()
    ).run(
      `SELECT DISTINCT table, partition_id FROM system.parts WHERE active AND rows > 0 AND table IN ('requests', 'bodies') AND NOT endsWith(partition_id, '202601')`,
    );
    expect(parts).toEqual([]);
    expect(await left('requests')).toEqual(numbersOf(kept));
    expect(await left('requests', "properties['Changed']")).toEqual(['x']);
    expect(await left('changes')).toEqual(numbersOf(kept));
  });

  it('drops whole months of every table on a full disk, is refused what hides rows, and hides them when there is room', async () => {
    const old = await plant({ time: '2025-11-03T10:00' });
    await put(old, '2025-11-03T10:00', '2026-01-02T00:00');
    const hidden = await plant({ time: '2026-01-01T00:00' });
    const kept = await plant({ time: '2026-01-20T00:00' });
    const { connections } = await opened();
    const full = makeRemoveExpired({ ...connections, hasFreeSpace: () => false });
    const expiry = { organizations: undefined, before: at('2026-01-15T00:00') };
    await expect(full(expiry, signal)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect([await left('requests'), await left('bodies')]).toEqual([numbersOf(hidden, kept), numbersOf(hidden, kept)]);
    expect(await removeExpired('2026-01-15T00:00')).toBe(1);
    expect([await left('requests'), await left('bodies'), await left('changes')]).toEqual([numbersOf(kept), numbersOf(kept), []]);
  });

  it('removes the history of what is gone, also where it is younger', async () => {
    const old = await plant({ time: '2026-01-01T00:00' });
    await put(old, '2026-01-01T00:00', '2026-02-20T00:00');
    await removeExpired('2026-02-01T00:00', [tenant]);
    expect(await left('changes')).toEqual([]);
  });

  it('keeps the history of a request that another organisation has under the same identifier', async () => {
    const kept = await plant({ time: '2026-02-10T00:00' });
    await put(kept, '2026-02-10T00:00', '2026-02-20T00:00');
    await plant({ time: '2026-01-01T00:00', organizationId: other, as: kept });
    expect(await removeExpired('2026-02-01T00:00')).toBe(1);
    expect([await left('requests'), await left('changes')]).toEqual([numbersOf(kept), numbersOf(kept)]);
  });

  it('of one organisation leaves the others alone', async () => {
    const foreign = await plant({ time: '2025-01-01T00:00', organizationId: other });
    const kept = await plant({ time: '2026-01-02T00:00' });
    await plant({ time: '2025-01-01T00:00' });
    expect(await removeExpired('2026-01-01T00:00', [tenant])).toBe(1);
    expect(await left('requests')).toEqual(numbersOf(foreign, kept));
    expect(await left('bodies')).toEqual(numbersOf(foreign, kept));
  });

  it('keeps changes that wait of rows that stay, and takes later ones', async () => {
    const gone = await plant({ time: '2026-01-01T00:00' });
    const kept = await plant({ time: '2026-01-02T00:00' });
    await put(gone, '2026-01-01T00:00', '2026-01-03T00:00');
    await put(kept, '2026-01-02T00:00', '2026-01-03T00:00');
    await removeExpired('2026-01-01T12:00', [tenant]);
    expect(await left('requests', "properties['Changed']")).toEqual(['x']);
    await put(kept, '2026-01-02T00:00', '2026-01-04T00:00');
    await removeExpired('2026-01-01T13:00');
    expect(await left('changes')).toHaveLength(2);
  });

  it('keeps the tag of a session that still has a request', async () => {
    await plant({ time: '2025-01-01T00:00', sessionId: 'gone' });
    await plant({ time: '2025-01-01T00:00', sessionId: 'goes on' });
    await plant({ time: '2026-01-02T00:00', sessionId: 'goes on' });
    await tag('gone', '2025-01-02T00:00');
    await tag('goes on', '2025-01-02T00:00');
    await removeExpired('2026-01-01T00:00', [tenant]);
    expect(await left('session_tags', 'session_id')).toEqual(['goes on']);
  });
});
