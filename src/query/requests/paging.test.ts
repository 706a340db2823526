import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestQuery } from '../../contract/requests/query.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { sortDirections, sortKeys } from '../../model/vocabulary/sort.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import { cursorBehind, type SortCells } from './cursor.ts';
import { planRequests, requestDialect, type RequestsPlan } from './query.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import type { RequestRow } from './columns.ts';
import { countStatement, pageStatements } from './select.ts';

type Row = RequestRow & SortCells;
type Body = Partial<Omit<RequestQuery, 'filter'>> & { readonly filter?: unknown };

const texts = ['', 'b', 'a', 'Ä', 'z', '\u{1f600}', '\uff5e', "it's", '\\', '', 'a'];
const long = 'long '.repeat(400);

/** Few different values of everything, so that every order has many ties, and of each some that are absent. */
function recordAt(n: number): RequestRecord {
  const text = texts[n % texts.length] ?? '';
  const number = n % 5 === 0 ? null : (n * 7) % 4;
  const createdAt = noon + (n % 9);
  return {
    ...empty,
    requestId: idAt(createdAt, n + 1),
    createdAt,
    userId: ['', 'u1', 'u2', 'u3'][n % 4] ?? '',
    responseModel: text,
    cached: n % 3 === 0,
    latencyMs: number,
    timeToFirstTokenMs: number === null ? null : number + 1,
    usage: { ...unreportedUsage, promptTokens: number, completionTokens: number === null ? null : number % 2 },
    cost: number === null ? null : (moneyOfUsd(number / 1e6) ?? null),
    properties: new Map(n % 6 === 0 ? [] : [[n % 7 === 0 ? 'Svc-Session-Id' : 'Team', text]]),
    inputs: new Map(n % 4 === 0 ? [] : [['city', text]]),
    lastUserText: n % 5 === 0 ? long + text : text,
    completionText: text,
  };
}

let rig: QueryRig;
beforeAll(async () => {
  rig = await openQueryRig();
  const records = Array.from({ length: 60 }, (_, n) => recordAt(n));
  await rig.insert(records.slice(0, 30), 'first');
  await rig.insert(records.slice(30), 'second');
});
afterAll(async () => rig.close());

function planOf(body: Body): RequestsPlan {
  const plan = planRequests(tenant, { filter: {}, limit: 1000, ...body }, requestDialect);
  if (!plan.ok) throw new Error(plan.fault.message);
  if (plan.value.kind !== 'page') throw new Error(plan.value.hint);
  return plan.value.plan;
}

async function pageOf(body: Body): Promise<{ readonly rows: readonly Row[]; readonly cursor: string | undefined }> {
  const plan = planOf(body);
  const rows = await runUntilRows<Row>(rig.store.run, pageStatements(plan));
  const last = rows.at(-1);
  return { rows, cursor: last === undefined ? undefined : cursorBehind(plan, last) };
}

const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id);

async function walk(body: Body, limit: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await pageOf({ ...body, limit, ...(cursor === undefined ? {} : { cursor }) });
    if (page.rows.length === 0) return ids;
    ids.push(...idsOf(page.rows));
    ({ cursor } = page);
  }
}

const valuesBy = async (sort: unknown, value: (row: Row) => unknown): Promise<readonly unknown[]> => [
  ...new Set((await pageOf({ sort })).rows.map(value)),
];

const refusal = (body: Body): string => {
  const plan = planRequests(tenant, { filter: {}, ...body }, requestDialect);
  return plan.ok ? '' : `${plan.fault.path.join('.')}: ${plan.fault.message}`;
};

const named = sortDirections.flatMap((direction) => [
  { properties: { Team: direction } },
  { values: { city: direction } },
  { properties: { 'Helicone-Session-Id': direction }, cost: direction },
]);
const single = Object.keys(sortKeys).flatMap((key) => sortDirections.map((direction) => ({ [key]: direction })));
const mixed = [
  { latency: 'desc', created_at: 'asc' },
  { created_at: 'asc', cost: 'desc' },
  { is_cached: 'desc', user_id: 'asc', response_text: 'desc' },
  { last_active: 'asc', request_prompt: 'desc' },
];

describe('pages', () => {
  test.each([...single, ...named, ...mixed].map((sort) => [JSON.stringify(sort), sort]))(
    'sorted by %s hold every request once, in one order, by cursor and by offset',
    async (_, sort) => {
      const whole = idsOf((await pageOf({ sort })).rows);
      expect(new Set(whole).size).toBe(60);
      expect(await walk({ sort }, 7)).toEqual(whole);
      const byOffset = [await pageOf({ sort, limit: 40 }), await pageOf({ sort, limit: 40, offset: 40 })];
      expect(byOffset.flatMap(({ rows }) => idsOf(rows))).toEqual(whole);
    },
  );

  test('of a filter go on behind the last row', async () => {
    const filter = { request_response_rmt: { user_id: { 'not-equals': '' } } };
    const whole = idsOf((await pageOf({ filter, sort: { cost: 'desc' } })).rows);
    expect(whole).toHaveLength(45);
    expect(await walk({ filter, sort: { cost: 'desc' } }, 10)).toEqual(whole);
  });

  test('at random are a drawing of their own', async () => {
    const { rows, cursor } = await pageOf({ sort: { random: true } });
    expect(new Set(idsOf(rows)).size).toBe(60);
    expect(cursor).toBeUndefined();
  });

  test('are counted without their limit', async () => {
    expect(await rig.store.run(countStatement(planOf({ limit: 3, offset: 50, sort: { request_prompt: 'asc' } })))).toEqual([{ total: 60 }]);
    expect(await rig.store.run(countStatement(planOf({ isCached: true })))).toEqual([{ total: 20 }]);
  });
});

describe('an order', () => {
  test('of text is that of its UTF-8 bytes, absent last in both directions', async () => {
    const inBytes = ["it's", '\\', 'a', 'b', 'z', 'Ä', '\uff5e', '\u{1f600}'].toSorted((left, right) =>
      Buffer.compare(Buffer.from(left), Buffer.from(right)),
    );
    expect(await valuesBy({ body_model: 'asc' }, (row) => row.response_model)).toEqual([...inBytes, '']);
    expect(await valuesBy({ body_model: 'desc' }, (row) => row.response_model)).toEqual([...inBytes.toReversed(), '']);
  });

  test('of numbers has the absent last in both directions', async () => {
    expect(await valuesBy({ latency: 'asc' }, (row) => row.latency)).toEqual([0, 1, 2, 3, null]);
    expect(await valuesBy({ latency: 'desc' }, (row) => row.latency)).toEqual([3, 2, 1, 0, null]);
  });

  test('by the latest request of the user has requests without a user last', async () => {
    expect((await valuesBy({ last_active: 'desc' }, (row) => row.user_id)).at(-1)).toBe('');
    expect((await valuesBy({ last_active: 'asc' }, (row) => row.user_id)).at(-1)).toBe('');
  });

  test('ties by the newest, or by the oldest where arrival is sorted so', async () => {
    const { rows } = await pageOf({ sort: { is_cached: 'desc' } });
    const cached = rows.filter((row) => row.cached);
    expect(cached).toEqual(
      cached.toSorted((left, right) => Number(right.created_ms) - Number(left.created_ms) || (left.id < right.id ? 1 : -1)),
    );
    const { rows: oldest } = await pageOf({ sort: { created_at: 'asc' } });
    expect(oldest).toEqual(
      oldest.toSorted((left, right) => Number(left.created_ms) - Number(right.created_ms) || (left.id < right.id ? -1 : 1)),
    );
  });
});

describe('a cursor', () => {
  test('goes on behind its row whatever arrives meanwhile', async () => {
    const { rows, cursor } = await pageOf({ limit: 20 });
    const rest = idsOf((await pageOf({ offset: 20 })).rows);
    await rig.insert([{ ...recordAt(100), createdAt: noon + 60_000, requestId: idAt(noon + 60_000, 900) }], 'meanwhile');
    expect(rows).toHaveLength(20);
    expect(idsOf((await pageOf({ cursor: cursor ?? '', offset: 20 })).rows)).toEqual(rest);
  });

  test('fits into a header, however long the texts that are sorted by', async () => {
    const { cursor } = await pageOf({ sort: { request_prompt: 'desc' }, limit: 1 });
    expect(cursor?.length).toBeLessThan(2000);
  });

  test('fits into a header also where ten long texts are sorted by, and goes on exactly behind its row', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `p${n}`);
    const wide = (n: number): RequestRecord => ({
      ...recordAt(200 + n),
      model: 'wide',
      requestId: idAt(noon + 90_000, 1000 + n),
      createdAt: noon + 90_000,
      properties: new Map(names.map((name, index) => [name, index === 9 ? `${'語'.repeat(480)}${n}` : '語'.repeat(480)])),
    });
    await rig.insert([wide(2), wide(1), wide(3)], 'wide');
    const body = {
      filter: { request_response_rmt: { model: { equals: 'wide' } } },
      sort: { properties: Object.fromEntries(names.map((name) => [name, 'asc'])) },
    };
    expect((await pageOf({ ...body, limit: 1 })).cursor?.length).toBeLessThan(8000);
    expect(await walk(body, 1)).toEqual([1, 2, 3].map((n) => idAt(noon + 90_000, 1000 + n)));
  });

  test.each([
    ['another filter', { filter: { request_response_rmt: { status: { equals: 1 } } } }],
    ['another sort', { sort: { cost: 'desc' } }],
    ['other flags', { isCached: true }],
  ])('of %s is refused', async (_, other) => {
    const { cursor = '' } = await pageOf({ limit: 1 });
    expect(refusal({ ...other, cursor })).toContain('cursor: `cursor` belongs to another filter, sort or flags');
  });

  test('and a random order do not go together', async () => {
    const { cursor = '' } = await pageOf({ limit: 1 });
    expect(refusal({ sort: { random: true }, cursor })).toContain('cursor: A random order has no cursor');
  });

  test('that was made up is refused, whatever is in it', async () => {
    const { cursor = '' } = await pageOf({ sort: { cost: 'desc' }, limit: 1 });
    const real = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, unknown>;
    const forged = [
      { a: "0'); DROP TABLE requests" },
      { i: '-1' },
      { i: String(2n ** 128n) },
      { s: ["=1'"] },
      { s: ['*'] },
      { s: [] },
      { s: [1] },
      { a: 5 },
      { v: 2 },
    ];
    for (const change of forged) {
      const made = Buffer.from(JSON.stringify({ ...real, ...change })).toString('base64url');
      expect(refusal({ sort: { cost: 'desc' }, cursor: made })).toContain('cursor: `cursor` is not one that was given here');
    }
    for (const text of ['', 'x', '%%%', 'e30', Buffer.from('[1]').toString('base64url'), 'A'.repeat(100_000)]) {
      expect(refusal({ cursor: text })).toContain('cursor: `cursor` is not one that was given here');
    }
  });
});
