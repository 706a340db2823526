import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { makeEmptyStore } from '../testing/empty-store.ts';
import { makeInsertLines, nastyTexts, openStoreRig, requestLine, lineOf, type StoreRig, tenant } from '../testing/store-harness.ts';
import { type Front, startFront } from '../testing/store-location.ts';
import { uuidToNumber } from '../../model/ids.ts';
import { copiedTables } from './copied-tables.ts';
import { type CopyProgress, copyRound, type CopyRound, dropHidden } from './copy-store.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'gatelog-copy-'));
const folder = path.join(parent, 'rows');
const hasFreeSpace = (): boolean => true;
let rig: StoreRig;
let front: Front;
let server: Connections;

beforeAll(async () => {
  mkdirSync(folder);
  await makeEmptyStore(path.join(parent, 'server'));
  rig = await openStoreRig();
  front = await startFront(path.join(parent, 'server'));
  server = openConnections({ servers: { urls: front.urls, cluster: undefined } });
});
afterAll(async () => {
  await server.close();
  await front.close();
  await rig.close();
  rmSync(parent, { recursive: true });
});

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 1, 8);
const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** Rows of many kinds, over days. */
async function fill(connections: Connections, count: number, from: number, token: string): Promise<void> {
  const insert = makeInsertLines(connections);
  const requests: string[] = [];
  const bodies: string[] = [];
  const changes: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = seconds(from + index * 1_700_000);
    const text = nastyTexts[index % nastyTexts.length] ?? '';
    const { id, line } = requestLine({
      created_at: at,
      user_id: text,
      properties: { Team: text },
      cost: '0.000001500000',
      status: 200,
      latency: null,
    });
    const key = { org_id: uuidToNumber(tenant).toString(), request_id: uuidToNumber(id).toString() };
    requests.push(line);
    bodies.push(
      lineOf('bodies', { ...key, created_at: at, request_kind: 'text', request_body: `${text} asked ${index}`, response_body: text }),
    );
    changes.push(
      lineOf('changes', { ...key, changed_at: at, number: index + 1, name: 'Team', kind: 'set', key_id: 'key', old: '', new: text }),
    );
  }
  await insert('bodies', bodies.join('\n'), `${token}-bodies`);
  await insert('changes', changes.join('\n'), `${token}-changes`);
  await insert('requests', requests.join('\n'), `${token}-requests`);
}

async function command(connections: Connections, query: string): Promise<void> {
  await connections.run('update', (client) => client.command({ query }));
}

async function rowsOf(connections: Connections, table: string): Promise<readonly unknown[]> {
  const query = `SELECT * EXCEPT (org_id) FROM ${table}${table === 'session_tags' ? ' FINAL' : ''} ORDER BY ALL`;
  return connections.run('control', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json());
}

async function round(from: Connections, to: Connections, signal = new AbortController().signal): Promise<CopyRound> {
  return copyRound({ from, to, folder, hasFreeSpace }, await copiedTables(from, to), { signal, onCopied: () => undefined });
}

async function expectEqual(): Promise<void> {
  for (const table of ['requests', 'bodies', 'changes', 'session_tags', 'session_changes']) {
    expect(await rowsOf(server, table)).toEqual(await rowsOf(rig.connections, table));
  }
}

it('a store is copied to a server with every value, and what differs later is copied again', async () => {
  const { connections } = rig;
  await fill(connections, 150, startMs, 'first');
  await command(
    connections,
    `INSERT INTO session_tags VALUES (1, 's', 1, '2026-11-01 08:00:00.000', 'key', 'old'), (1, 's', 2, '2026-11-02 08:00:00.000', 'key', 'new')`,
  );
  await command(connections, `INSERT INTO session_changes VALUES (1, 1, 'Team', 's', '2026-11-01 08:00:00.000', 'key', 'search')`);
  const first = await round(connections, server);
  expect(first.rows).toBe(150 * 3 + 2);
  await expectEqual();
  expect([...first.days.values()].reduce((sum, rows) => sum + rows, 0)).toBe(150 * 3 + 2);
  expect(await round(connections, server)).toMatchObject({ pieces: 0, rows: 0 });

  await fill(connections, 3, startMs + 20 * dayMs, 'second');
  await command(
    connections,
    `UPDATE requests SET properties = map('Team', 'changed'), updated_at = now64(3) WHERE created_at < '2026-11-01 09:00:00'`,
  );
  await command(connections, `DELETE FROM bodies WHERE created_at > '2026-11-02 08:00:00' AND created_at < '2026-11-02 12:00:00'`);
  await command(connections, `INSERT INTO session_tags VALUES (1, 's', 3, '2026-11-03 08:00:00.000', 'key', 'newest')`);
  const second = await round(connections, server);
  expect(second.pieces).toBeGreaterThan(5);
  expect(second.rows).toBeLessThan(30);
  await expectEqual();
  expect(await round(connections, server)).toMatchObject({ pieces: 0 });
});

it('a copy that was interrupted goes on, and comes back from the server', async () => {
  const { connections } = rig;
  await fill(connections, 40, startMs + 30 * dayMs, 'third');
  const stop = new AbortController();
  let [copied, copiedRows] = [0, 0];
  const tables = await copiedTables(connections, server);
  const onCopied = ({ rows }: CopyProgress): void => {
    [copied, copiedRows] = [copied + 1, copiedRows + rows];
    if (copied === 4) stop.abort(new Error('killed'));
  };
  await expect(
    copyRound({ from: connections, to: server, folder, hasFreeSpace }, tables, { signal: stop.signal, onCopied }),
  ).rejects.toThrow('killed');
  expect((await round(connections, server)).rows).toBe(40 * 3 - copiedRows);
  await expectEqual();
  const before = await rowsOf(server, 'requests');
  await command(connections, `DELETE FROM requests WHERE created_at >= '2026-11-20 00:00:00'`);
  await command(connections, `UPDATE requests SET status = 500 WHERE created_at < '2026-11-02 00:00:00'`);
  expect((await round(server, connections)).rows).toBeGreaterThan(40);
  await expectEqual();
  expect(await rowsOf(connections, 'requests')).toEqual(before);
});

it('a later round looks only at keys of earlier days, and sees what came, went and was changed', async () => {
  const { connections } = rig;
  const tables = await copiedTables(connections, server);
  const options = { signal: new AbortController().signal, onCopied: () => undefined, comparedAt: startMs + 60 * dayMs };
  const ends = { from: connections, to: server, folder, hasFreeSpace };
  expect(await copyRound(ends, tables, options)).toMatchObject({ pieces: 0 });
  await command(connections, `DELETE FROM bodies WHERE created_at < '2026-11-01 09:00:00'`);
  await command(connections, `UPDATE requests SET status = 418, updated_at = now64(3) WHERE created_at < '2026-11-01 08:10:00'`);
  expect((await copyRound(ends, tables, options)).pieces).toBe(2);
  await expectEqual();
});

it('what is to be checked is compared in full, though its keys are equal', async () => {
  const { connections } = rig;
  const tables = await copiedTables(connections, server);
  const known = { signal: new AbortController().signal, onCopied: () => undefined, comparedAt: startMs + 60 * dayMs };
  const ends = { from: connections, to: server, folder, hasFreeSpace };
  await command(
    connections,
    `ALTER TABLE bodies UPDATE response_body = 'other' WHERE created_at < '2026-11-01 11:00:00' SETTINGS mutations_sync = 1`,
  );
  expect(await copyRound(ends, tables, known)).toMatchObject({ pieces: 0 });
  const hourMs = 3_600_000;
  const hours = [1, 2].map((hour) => ({ table: 'bodies' as const, from: startMs + hour * hourMs, to: startMs + (hour + 1) * hourMs }));
  const checked = await copyRound(ends, tables, { ...known, checked: hours });
  expect(checked.pieces).toBe(1);
  expect(checked.copied).toEqual([{ table: 'bodies', from: startMs + hourMs, to: startMs + 3 * hourMs }]);
  expect(await copyRound(ends, tables, { ...known, checked: checked.copied })).toMatchObject({ pieces: 0 });
  await expectEqual();
});

it('what was removed in the source is in no file of the copy', async () => {
  const hidden = `SELECT count() AS n FROM system.parts WHERE active AND has_lightweight_delete AND table IN ('requests', 'bodies')`;
  const count = async (): Promise<number> => {
    const rows = await server.run('control', async (client) =>
      (await client.query({ query: hidden, format: 'JSONEachRow' })).json<{ readonly n: number | string }>(),
    );
    return Number(rows[0]?.n);
  };
  expect(await count()).toBeGreaterThan(0);
  await dropHidden(server, new AbortController().signal);
  expect(await count()).toBe(0);
  await expectEqual();
});

it('a store of another version is refused by the name of its table', async () => {
  await command(server, 'ALTER TABLE changes ADD COLUMN more String');
  await expect(copiedTables(rig.connections, server)).rejects.toThrow('The table changes has other columns');
  await command(server, 'ALTER TABLE changes DROP COLUMN more');
});
