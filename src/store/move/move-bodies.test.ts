import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { byLength } from '../../../test/support/test-length.ts';
import { type OrganizationId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import type { BilledRequest } from '../../model/record/billed-request.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { statementFor } from '../../sql/statement.ts';
import { bodies, requests } from '../../sql/tables.ts';
import { makeEraseStored } from '../delete/erasure.ts';
import { makeRemoveExpired } from '../delete/retention.ts';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { makeRunStatement } from '../read/run-statement.ts';
import { migrateStore } from '../schema/migrate.ts';
import { type CompletedCall, makeUsageRows } from '../update/complete-usage.ts';
import { PendingPatches } from '../update/pending-patches.ts';
import { makeMoveBodies, type MoveBodies } from './move-bodies.ts';

const organizations = ['01'.repeat(16), 'fe'.repeat(16)].map((hex) => uuidOfHex(hex));
const [first = organizations[0] as OrganizationId] = organizations;
const january = Date.UTC(2026, 0, 31, 23, 0);
/** Two months, several hours, many rows of one time. */
const rows = byLength(500, 1000);
/** Of each organisation, every fifth request is the user's. */
const ofOneUser = rows / 5;
const everyMs = 60_000;
/** Of a move that nobody stops. */
const { signal } = new AbortController();

const billed: BilledRequest = {
  createdAt: 0,
  provider: 'OPENAI',
  requestModel: 'm',
  responseModel: '',
  modelOverride: '',
  serviceTier: '',
  usage: unreportedUsage,
  cost: null,
  costSource: 'none',
  priceReference: '',
  appliedPrice: '',
  cached: false,
};
const completedCall: CompletedCall = {
  organizationId: first,
  before: { requestId: uuidOfHex('00'.repeat(16)), awaitsUsage: true, billed },
  usage: { ...unreportedUsage, promptTokens: 3, completionTokens: 2 },
  responseModel: 'm',
  serviceTier: '',
  cost: undefined,
  outputPreview: 'The answer',
  acceptedAt: january,
  keyId: '00000000-0000-0000-0000-000000000000',
};

let folder: string;
let connections: Connections;
let move: MoveBodies;

async function command(query: string): Promise<void> {
  await connections.run('update', (client) => client.command({ query }));
}

async function rowsOf<Row>(query: string): Promise<readonly Row[]> {
  return connections.run('short', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>());
}

const time = `fromUnixTimestamp64Milli(${january} + intDiv(number, 3) * ${everyMs}, 'UTC')`;
const shared = (organization: OrganizationId): string =>
  `toUInt128('${uuidToNumber(organization)}') AS org_id, ${time} AS created_at, reinterpretAsUInt128(sipHash128(number)) AS request_id`;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-move-'));
  connections = openConnections({ folder });
  await migrateStore(connections, () => undefined);
});

afterAll(async () => {
  await connections.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  for (const table of ['requests', 'bodies', 'bodies_before', 'body_moves', 'removals']) await command(`TRUNCATE TABLE ${table}`);
  for (const organization of organizations) {
    await command(
      `INSERT INTO bodies_before (org_id, created_at, request_id, request_kind, request_body, response_kind, response_body, prompt_text, completion_text)
      SELECT ${shared(organization)}, 'json', concat('{"question":"', toString(number), '"}'), 'json', '{}', toString(number), 'answer' FROM numbers(${rows})`,
    );
    // The last one is the remains of a batch whose requests were not stored.
    await command(
      `INSERT INTO requests (org_id, created_at, request_id, session_id, user_id) SELECT ${shared(organization)}, if(number % 2 = 0, toString(number % 7), ''), toString(number % 5) FROM numbers(${rows - 1})`,
    );
  }
  await restart();
});

/** All texts that a query finds, in order. */
async function found(organization: OrganizationId): Promise<readonly unknown[]> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 2 ** 28 });
  const stored = sql`request_id IN ${select({ columns: sql`request_id`, from: requests() })}`;
  const query = select({ columns: sql`toString(request_id) AS id, request_body, prompt_text`, from: bodies(stored), orderBy: sql`id` });
  return run(statementFor(organization, query, 'long'));
}

async function moveOn(steps = Infinity): Promise<void> {
  for (let step = 0; step < steps; step += 1) if ((await move.step(signal)) === undefined) return;
}

/** As if the process had ended and another had begun. */
async function restart(): Promise<void> {
  connections.bodies.migratedUntil = undefined;
  move = makeMoveBodies(connections, { maxQueryMs: 0, chunkRows: 100 });
  await move.open();
}

const different =
  'SELECT count() AS n FROM bodies AS b INNER JOIN requests AS r USING (org_id, created_at, request_id) WHERE b.body_group != r.body_group';
const oldRows = 'SELECT count() AS n FROM bodies_before';

test('every body is found once before, while and after bodies are moved, and the old ones are dropped month by month', async () => {
  const before = await Promise.all(organizations.map(found));
  expect(before.map(({ length }) => length)).toEqual([rows - 1, rows - 1]);
  expect(move.state()).toEqual({ movedRows: 0, totalRows: 2 * rows, isDone: false });
  while (!move.state().isDone) {
    await moveOn(5);
    expect(await Promise.all(organizations.map(found))).toEqual(before);
  }
  await moveOn();
  expect(await Promise.all(organizations.map(found))).toEqual(before);
  expect(await rowsOf(oldRows)).toEqual([{ n: 0 }]);
  expect(await rowsOf('SELECT count() AS n, uniqExact(org_id, request_id) AS ids FROM bodies')).toEqual([
    { n: 2 * rows - 2, ids: 2 * rows - 2 },
  ]);
});

test('the group of a moved body is that of its request, and stays when its session changes', async () => {
  await moveOn();
  await command(`UPDATE requests SET session_id = 'other' WHERE session_id = '2'`);
  expect(await rowsOf(different)).toEqual([{ n: 0 }]);
  const groups = await rowsOf<{ groups: number }>(`SELECT uniqExact(body_group) AS groups FROM bodies`);
  expect(Number(groups[0]?.groups)).toBe(12);
});

test('groups that the engine had not written yet, as after a restore, are written before the first body is moved', async () => {
  const [definition] = await rowsOf<{ readonly definition: string }>(
    "SELECT default_expression AS definition FROM system.columns WHERE table = 'requests' AND name = 'body_group' AND database = currentDatabase()",
  );
  await command('ALTER TABLE requests DROP COLUMN body_group SETTINGS mutations_sync = 2');
  await command(`ALTER TABLE requests ADD COLUMN body_group UInt64 DEFAULT ${definition?.definition ?? ''}`);
  const later = `toUInt128('${uuidToNumber(first)}'), ${time}, toUInt128(7), 'new', 42`;
  await command(`INSERT INTO requests (org_id, created_at, request_id, session_id, body_group) SELECT ${later} FROM numbers(1)`);
  await moveOn();
  await command(`UPDATE requests SET session_id = 'other' WHERE session_id IN ('2', 'new')`);
  expect(await rowsOf(different)).toEqual([{ n: 0 }]);
  expect(await rowsOf('SELECT body_group AS written FROM requests WHERE request_id = 7')).toEqual([{ written: 42 }]);
});

describe('a move that was cut off', () => {
  test('goes on where it was, also when a copied chunk is not on record', async () => {
    const before = await found(first);
    await moveOn(3);
    await command('ALTER TABLE body_moves DELETE WHERE moved_to = (SELECT max(moved_to) FROM body_moves) SETTINGS mutations_sync = 2');
    await restart();
    expect(await found(first)).toEqual(before);
    await moveOn();
    expect(await found(first)).toEqual(before);
    expect(await rowsOf('SELECT count() AS n FROM bodies')).toEqual([{ n: 2 * rows - 2 }]);
  });

  test('drops at the next start what it had moved', async () => {
    while (!move.state().isDone) await move.step(signal);
    await restart();
    await moveOn();
    expect(await rowsOf(oldRows)).toEqual([{ n: 0 }]);
  });
});

test('a call whose usage comes while bodies are moved gets its preview, and one whose response was not kept gets none', async () => {
  await command("ALTER TABLE bodies_before UPDATE response_kind = 'absent' WHERE prompt_text = '1' SETTINGS mutations_sync = 2");
  await restart();
  const rowsBefore = await rowsOf<{ readonly id: string; readonly at: string; readonly text: string }>(
    `SELECT lower(hex(request_id)) AS id, toString(toUnixTimestamp64Milli(created_at)) AS at, prompt_text AS text FROM bodies_before
      WHERE org_id = toUInt128('${uuidToNumber(first)}') AND prompt_text IN ('0', '1') ORDER BY text`,
  );
  const usageRows = makeUsageRows(connections, new PendingPatches());
  for (const { id, at } of rowsBefore) {
    const requestId = uuidOfHex(id);
    await usageRows.complete({
      ...completedCall,
      before: { ...completedCall.before, requestId, billed: { ...billed, createdAt: Number(at) } },
    });
  }
  const ids = rowsBefore.map(({ id }) => `reinterpretAsUInt128(reverse(unhex('${id}')))`).join(', ');
  expect(
    await rowsOf(
      `SELECT output_preview AS preview FROM requests WHERE org_id = toUInt128('${uuidToNumber(first)}') AND request_id IN (${ids}) ORDER BY preview`,
    ),
  ).toEqual([{ preview: '' }, { preview: 'The answer' }]);
});

test('what is erased while bodies are moved is in neither table', async () => {
  await moveOn(3);
  const erasure = { number: 1, organizationId: first, userId: '3', erasedAt: january + rows * everyMs };
  const erase = makeEraseStored(connections);
  expect(await erase.list(erasure, signal)).toEqual({ requests: ofOneUser, bodies: 2 * ofOneUser });
  await erase.removeRequests(erasure, signal);
  await moveOn(1);
  await erase.removeRest(erasure, signal);
  await moveOn();
  await erase.removeFiles(erasure, signal);
  expect(await found(first)).toHaveLength(rows - 1 - ofOneUser);
  expect(await rowsOf(`SELECT count() AS n FROM bodies WHERE org_id = toUInt128('${uuidToNumber(first)}')`)).toEqual([
    { n: rows - 1 - ofOneUser },
  ]);
});

test('what has expired is removed from both tables', async () => {
  await moveOn(3);
  // Three requests have the same time.
  const before = january + 100 * everyMs;
  expect(await makeRemoveExpired(connections)({ organizations: undefined, before }, signal)).toBe(2 * 300);
  expect(await found(first)).toHaveLength(rows - 1 - 300);
  await moveOn();
  expect(await found(first)).toHaveLength(rows - 1 - 300);
});

test('a store without old bodies has nothing to move', async () => {
  await moveOn();
  await restart();
  expect(move.state()).toEqual({ movedRows: 0, totalRows: 0, isDone: true });
  expect(await move.step(signal)).toBeUndefined();
});

test('on a full disk the move waits, and goes on', async () => {
  const full = makeMoveBodies({ ...connections, hasFreeSpace: () => false }, { maxQueryMs: 0 });
  await full.open();
  await expect(full.step(signal)).rejects.toMatchObject({ code: 'store_unavailable' });
  await moveOn();
  await eventually('all is moved', async () => move.state().isDone || undefined);
});
