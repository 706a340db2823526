import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { uuidToNumber } from '../../model/ids.ts';
import { displayValue } from '../update/display.ts';
import { makeChangeStored } from '../update/change.ts';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { migrateStore, migrations } from './migrate.ts';
import { requestsAndBodies } from './migrations/0001-requests-and-bodies.ts';
import { makeChangeStoredSession } from '../update/session-changes.ts';
import { makeSetSessionTag } from '../update/session-tags.ts';
import { createdAt, requestLine, tenant } from '../testing/store-harness.ts';

const laterNames = migrations.slice(1).map(({ name }) => name);
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-upgrade-'));
let connections: Connections;

async function command(query: string): Promise<void> {
  await connections.run('update', (client) => client.command({ query }));
}

async function rowsOf(query: string): Promise<unknown> {
  return connections.run('short', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json());
}

beforeAll(async () => {
  connections = openConnections({ folder });
  for (const statement of requestsAndBodies.statements) await command(statement);
  await command(
    `CREATE TABLE schema_migrations (number UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3)) ENGINE = MergeTree ORDER BY number`,
  );
  await command(`INSERT INTO schema_migrations (number, name) VALUES (1, '${requestsAndBodies.name}')`);
});

afterAll(async () => {
  await connections.close();
  rmSync(folder, { recursive: true });
});

test('a store of the first schema keeps its rows and their updates, and takes changes from then on', async () => {
  const ids = [requestLine().id, requestLine().id] as const;
  const numbers = ids.map((id) => `toUInt128('${uuidToNumber(id)}')`);
  const values = numbers.map(
    (number) => `(toUInt128('${uuidToNumber(tenant)}'), '2023-11-14 22:13:20.123', ${number}, 's', map('Team', 'a'))`,
  );
  await command(`INSERT INTO requests (org_id, created_at, request_id, session_id, properties) VALUES ${values.join(', ')}`);
  await command(`UPDATE requests SET properties = mapUpdate(properties, map('Team', 'updated')) WHERE request_id = ${numbers[0]}`);
  const full = { ...connections, hasFreeSpace: () => false };
  const described = (): Promise<unknown> =>
    rowsOf('SELECT name, metadata_modification_time FROM system.tables WHERE database = currentDatabase()');
  const before = await described();
  await expect(migrateStore(full, () => undefined)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/too full .* \d+ MiB are free, more than 256 MiB are wanted\. .*GATELOG_STORE_SPARE_BYTES/) as string,
  });
  expect(await described()).toEqual(before);
  const applied: string[] = [];
  for (const { number } of migrations.slice(1)) {
    await migrateStore(connections, (name) => applied.push(name), number);
    // As if the step had been cut before it was on record.
    await command(`DELETE FROM schema_migrations WHERE number = ${number}`);
    await migrateStore(connections, (name) => applied.push(name), number);
  }
  expect(applied).toEqual(laterNames.flatMap((name) => [name, name]));
  // On a full disk a store that is up to date is opened, and one that is not is not.
  await migrateStore(full, () => undefined);
  await makeChangeStored(connections)({
    accepted: {
      organizationId: tenant,
      requestId: ids[0],
      change: { kind: 'feedback', rating: true },
      keyId: 'key',
      acceptedAt: createdAt,
      number: 2 ** 52,
    },
    createdAt,
  });
  const session = { organizationId: tenant, sessionId: 's', keyId: 'key', acceptedAt: createdAt, number: 2 ** 52 + 1 };
  const sessions = makeChangeStoredSession(connections);
  await sessions.writeHistory({ ...session, values: new Map([['Of', 'all']]) });
  expect(await sessions.update({ ...session, values: new Map([['Of', 'all']]) })).toBe(2);
  await makeSetSessionTag(connections)({ ...session, tag: 'old' });
  expect(await rowsOf('SELECT tag FROM session_tags')).toEqual([{ tag: 'old' }]);
  expect(
    await rowsOf('SELECT properties, session_changes, feedback_number, feedback_rating, scores FROM requests ORDER BY request_id'),
  ).toEqual([
    {
      properties: { Team: 'updated', Of: 'all' },
      session_changes: [2 ** 52 + 1],
      feedback_number: 2 ** 52,
      feedback_rating: true,
      scores: { 'svc-score-feedback': 1 },
    },
    { properties: { Team: 'a', Of: 'all' }, session_changes: [2 ** 52 + 1], feedback_number: null, feedback_rating: null, scores: {} },
  ]);
  expect(await rowsOf("SELECT name FROM system.columns WHERE table = 'requests' AND name = 'feedback_id'")).toEqual([]);
  const displayed = displayValue().pieces.map(String).join('');
  // Values of columns that were added later come last, and a part from before may lack them.
  const isShown = `startsWith(${displayed}, substring(display, 1, length(display) - 1))`;
  expect(await rowsOf(`SELECT count() AS rows, countIf(length(display) > 100 AND ${isShown}) AS displayed FROM requests`)).toEqual([
    { rows: 2, displayed: 2 },
  ]);
  // The engine writes the column into the parts that lack it by itself.
  const lacking = `SELECT name FROM system.parts WHERE active AND table = 'requests' AND name NOT LIKE 'patch-%' AND name NOT IN (
    SELECT name FROM system.parts_columns WHERE active AND table = 'requests' AND column = 'display')`;
  await eventually('the column in every part', async () => ((await rowsOf(lacking)) as readonly unknown[]).length === 0 || undefined);
});
