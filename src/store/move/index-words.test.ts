import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import { uuidToNumber } from '../../model/ids.ts';
import { planRequests, requestDialect } from '../../query/requests/query.ts';
import { pageStatements } from '../../query/requests/select.ts';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { makeRunStatement, runUntilRows } from '../read/run-statement.ts';
import { migrateStore } from '../schema/migrate.ts';
import { wordsOfNewText } from '../schema/migrations/0022-words-of-new-text.ts';
import { tenant } from '../testing/store-harness.ts';
import { makeIndexWords } from './index-words.ts';

/** A store of before the index, with bodies of two months. */
let connections: Connections;
let folder: string;
const { signal } = new AbortController();
const months = ['2026-01-20 10:00:00', '2026-02-03 09:00:00'];
const rowsOfMonth = 600;

async function command(query: string): Promise<void> {
  await connections.run('update', (client) => client.command({ query }));
}

async function rowsOf<Row>(query: string): Promise<readonly Row[]> {
  return connections.run('short', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>());
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-words-'));
  connections = openConnections({ folder });
  await migrateStore(connections, () => undefined, wordsOfNewText.number - 1);
  for (const [month, start] of months.entries()) {
    const key = `toUInt128('${uuidToNumber(tenant)}') AS org_id, toDateTime64('${start}', 3, 'UTC') + toIntervalSecond(number) AS created_at,
      toUInt128(number + ${month * rowsOfMonth} + 1) AS request_id, toUInt64(number % 5) AS body_group`;
    const text = `concat('{"n":"word', toString(number), '","all":"common"}')`;
    await command(
      `INSERT INTO bodies (org_id, created_at, request_id, body_group, request_kind, request_body, response_kind, response_body)
      SELECT ${key}, 'json', ${text}, 'text', concat('answer', toString(number)) FROM numbers(${rowsOfMonth})`,
    );
    await command(`INSERT INTO requests (org_id, created_at, request_id, body_group) SELECT ${key} FROM numbers(${rowsOfMonth})`);
  }
  await migrateStore(connections, () => undefined);
});
afterAll(async () => {
  await connections.close();
  rmSync(folder, { recursive: true });
});

async function count(field: string, words: string): Promise<number> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 2 ** 28 });
  const planned = unwrap(
    planRequests(tenant, { filter: { request_response_rmt: { [field]: { contains: words } } }, limit: 2000 }, requestDialect),
  );
  if (planned.kind !== 'page') throw new Error(planned.hint);
  return (await runUntilRows(run, pageStatements(planned.plan))).length;
}

const counts = async (): Promise<readonly number[]> =>
  Promise.all([
    count('request_body', 'word17'),
    count('request_body', 'COMMON'),
    count('response_body', 'answer599'),
    count('request_body', 'answer'),
  ]);
/** `word17`, `word170` to `word179`, in both months. */
const expected = [22, 2 * rowsOfMonth, 2, 0];

async function oldIndexes(): Promise<readonly string[]> {
  const rows = await rowsOf<{ readonly name: string }>(
    "SELECT name FROM system.data_skipping_indices WHERE table = 'bodies' AND name LIKE '%_words' ORDER BY name",
  );
  return rows.map(({ name }) => name);
}

it('bodies of before are found while their words are indexed, month by month, and after a stop in between', async () => {
  expect(await counts()).toEqual(expected);
  const first = makeIndexWords(connections);
  expect(await first.open()).toBe(true);
  expect(first.state()).toEqual({ months: 2, indexedMonths: 0, isDone: false });
  expect(await first.step(signal)).toBe(true);
  expect(first.state()).toEqual({ months: 2, indexedMonths: 1, isDone: false });
  expect(await counts()).toEqual(expected);

  // The engine goes on with what it was ordered, whoever asks for it.
  await first.step(AbortSignal.abort(new Error('stopped'))).catch(() => undefined);
  const next = makeIndexWords(connections);
  expect(await next.open()).toBe(true);
  while (await next.step(signal)) expect(await counts()).toEqual(expected);
  expect(next.state().isDone).toBe(true);
  expect(await oldIndexes()).toEqual(['new_request_words', 'packed_response_words']);
  expect(await counts()).toEqual(expected);

  const later = makeIndexWords(connections);
  expect(await later.open()).toBe(false);
  expect(await later.step(signal)).toBe(false);
}, 120_000);

it('the index answers a search then: it reads few granules', async () => {
  const [{ rows } = { rows: 0 }] = await rowsOf<{ readonly rows: number }>(
    `SELECT count() AS rows FROM (EXPLAIN indexes = 1 SELECT request_id FROM bodies WHERE ${newWordsText} LIKE '%word599%') WHERE explain LIKE '%new_request_words%'`,
  );
  expect(rows).toBeGreaterThan(0);
});

const places = [1, 2, 3].map((number) => `substring(request_body, new_spans[${number}].1, new_spans[${number}].2)`);
const newWordsText = `lowerUTF8(concat(${places.join(", ' ', ")}))`;
