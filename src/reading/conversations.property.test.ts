import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byLength, testSeed } from '../../test/support/test-length.ts';
import { EarlierTexts } from '../ingest/batch/earlier-texts.ts';
import { conversationOf } from '../ingest/worker/record-builder.ts';
import { matches } from '../query/filter/memory/interpret.ts';
import { conversations, endOfFirstHour, numbersOf } from '../query/filter/testing/conversations.ts';
import type { StoredRecord } from '../query/filter/testing/nasty-records.ts';
import { planRequests, requestDialect, type RequestsPlan } from '../query/requests/query.ts';
import { pageStatements } from '../query/requests/select.ts';
import { makeRemoveExpired } from '../store/delete/retention.ts';
import { makeInsertRows } from '../store/insert/insert.ts';
import { numberRow } from '../store/insert/row-key.ts';
import { rowsOf } from '../store/insert/rows.ts';
import { makeJoinRecords } from '../store/once/absorb.ts';
import { makeRunStatement, runUntilRows } from '../store/read/run-statement.ts';
import { openStoreRig, type StoreRig, tenant } from '../store/testing/store-harness.ts';
import { PendingPatches } from '../store/update/pending-patches.ts';

/**
 * A turn's words are indexed where its conversation has not said them before. A search finds the same as one that reads every text, in a
 * store whose conversations came in any order and lost turns in every way.
 */
const seed = testSeed();
const filtersOfState = byLength(60, 500);
const recordCount = 90;
const batchRows = 7;
const { signal } = new AbortController();

let rig: StoreRig;
let records: readonly StoredRecord[];
/** How many of them are in the store, the first ones. */
let stored = 60;
let texts: EarlierTexts;
const draw = numbersOf(seed);

beforeAll(async () => {
  rig = await openStoreRig();
  texts = new EarlierTexts(() => rig.connections.bodies.removals);
  // A few come late, and behind others of their conversation.
  const made = conversations(tenant, recordCount, seed);
  records = made
    .map((record, index) => ({ record, at: index + (draw(6) === 0 ? draw(30) : 0) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ record }) => record);
  await store(records.slice(0, stored), texts);
});
afterAll(async () => rig?.close());

let batches = 0;

/** Stores records as the ingest does. */
async function store(added: readonly StoredRecord[], earlier: EarlierTexts): Promise<void> {
  const insert = makeInsertRows(rig.connections);
  for (let from = 0; from < added.length; from += batchRows) {
    batches += 1;
    const batch = added.slice(from, from + batchRows).map((record, index) => ({
      index,
      rows: { ...rowsOf(record, record.createdAt), endedAt: null, conversation: conversationOf(record) },
    }));
    const marked = earlier.mark(batch);
    await insert(
      'bodies',
      batch.map(({ rows }) => rows.bodies),
      `bodies-${batches}`,
      marked.check,
    );
    for (const { index, rows } of batch) numberRow(rows.request, batches * 1000 + index);
    await insert(
      'requests',
      batch.map(({ rows }) => rows.request),
      `requests-${batches}`,
    );
    marked.keep(new Map());
  }
}

async function command(query: string): Promise<void> {
  await rig.connections.run('update', (client) => client.command({ query }));
}

async function markedRows(): Promise<number> {
  const [row] = await rig.run<{ readonly rows: string | number }>(
    "SELECT count() AS rows FROM bodies WHERE new_spans[1].2 NOT IN (0, 4294967295) OR (new_spans[1].2 = 0 AND request_body != '')",
  );
  return Number(row?.rows);
}

/** The records that filters find in the store and not by their texts, or the other way round. */
async function differences(left: readonly StoredRecord[], count: number): Promise<readonly string[]> {
  const run = makeRunStatement(rig.connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 30 });
  const found: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const filter = anyFilter(left);
    const plan = planOf(filter);
    const expected = left
      .filter((record) => matches(plan.filter, record))
      .map(({ requestId }) => requestId)
      .toSorted();
    const rows = await runUntilRows<{ readonly id: string }>(run, pageStatements(plan));
    if (
      rows
        .map(({ id }) => id)
        .toSorted()
        .join() !== expected.join()
    ) {
      found.push(`${JSON.stringify(filter)}: ${expected.length} by their texts, ${rows.length} in the store`);
    }
  }
  return found;
}

function planOf(filter: unknown): RequestsPlan {
  const planned = planRequests(tenant, { filter, limit: 1000 }, requestDialect);
  if (!planned.ok || planned.value.kind !== 'page') throw new Error('not a page');
  return planned.value.plan;
}

function anyFilter(left: readonly StoredRecord[]): unknown {
  const conditions = Array.from({ length: 1 + draw(3) }, () => condition(left));
  const joined = conditions.reduce((one, other) => ({ left: one, operator: draw(3) === 0 ? 'or' : 'and', right: other }));
  return draw(4) > 0
    ? joined
    : {
        left: joined,
        operator: 'and',
        right: { request_response_rmt: { request_created_at: { [draw(2) === 0 ? 'gte' : 'lt']: timeOf(left) } } },
      };
}

function timeOf(left: readonly StoredRecord[]): string {
  return new Date((left[draw(left.length)]?.createdAt ?? 0) + draw(3) - 1).toISOString();
}

const operators = ['contains', 'contains', 'contains', 'not-contains', 'ilike', 'like', 'equals', 'not-equals'] as const;

function condition(left: readonly StoredRecord[]): unknown {
  const field = draw(4) === 0 ? 'response_body' : 'request_body';
  const record = left[draw(left.length)];
  const body = field === 'request_body' ? record?.requestBody : record?.responseBody;
  const text = body !== undefined && 'text' in body ? body.text : '';
  const operator = operators[draw(operators.length)] ?? 'contains';
  if (operator === 'equals' || operator === 'not-equals') return { request_response_rmt: { [field]: { [operator]: text } } };
  const from = draw(text.length);
  const piece = text.slice(from, from + 2 + draw(24)).replaceAll(/[\uD800-\uDFFF]/g, '');
  const sought = draw(3) === 0 ? piece.toUpperCase() : piece;
  const value = operator === 'like' || operator === 'ilike' ? `%${sought.replaceAll(/[\\%_]/g, '_')}%` : sought;
  return { request_response_rmt: { [field]: { [operator]: value } } };
}

describe(`a search for words of conversations (seed ${seed})`, () => {
  it('finds what a reader of every text finds, though most turns index only what is new in them', async () => {
    expect(await markedRows()).toBeGreaterThan(20);
    expect(await differences(records.slice(0, stored), filtersOfState)).toEqual([]);
  });

  it('also when turns that others repeat are removed, and more come after it', async () => {
    const gone = new Set(
      records
        .slice(0, stored)
        .filter(() => draw(5) === 0)
        .map(({ requestId }) => requestId),
    );
    const named = records.filter(({ requestId }) => gone.has(requestId));
    await makeJoinRecords(rig.connections, new PendingPatches()).remove(tenant, named, signal);
    await store(records.slice(stored, 75), texts);
    records = records.filter(({ requestId }) => !gone.has(requestId));
    stored = 75 - gone.size;
    expect(await differences(records.slice(0, stored), filtersOfState)).toEqual([]);
  });

  it('also when the turns of an hour expire, after a restart, and when all is merged', async () => {
    await store(records.slice(stored), new EarlierTexts(() => rig.connections.bodies.removals));
    await makeRemoveExpired(rig.connections)({ organizations: undefined, before: endOfFirstHour }, signal);
    records = records.filter(({ createdAt }) => createdAt >= endOfFirstHour);
    expect(await differences(records, filtersOfState)).toEqual([]);
    await command('OPTIMIZE TABLE bodies FINAL');
    expect(await differences(records, filtersOfState)).toEqual([]);
  });

  it('would miss rows if turns were removed without a look at those that repeat them', async () => {
    expect(await markedRows()).toBeGreaterThan(5);
    // Those that the others repeat.
    const rows = await rig.run<{ readonly id: string }>(
      `SELECT id_text AS id FROM requests WHERE request_id IN (SELECT request_id FROM bodies WHERE new_spans[1].2 = 4294967295 AND body_group != 0)`,
    );
    const first = new Set(rows.map(({ id }) => id));
    const ids = [...first].map((id) => `toUInt128('${BigInt(`0x${id.replaceAll('-', '')}`)}')`).join(', ');
    for (const table of ['bodies', 'requests']) {
      await command(`ALTER TABLE ${table} DELETE WHERE request_id IN (${ids}) SETTINGS mutations_sync = 1`);
    }
    records = records.filter(({ requestId }) => !first.has(requestId));
    expect(await differences(records, 300)).not.toEqual([]);
  });
});
