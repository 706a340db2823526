import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runUntilFull, runUntilRows } from '../../store/read/run-statement.ts';
import type { RequestQuery } from '../../contract/requests/query.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import type { RequestRow } from './columns.ts';
import { cursorBehind, type SortCells } from './cursor.ts';
import { planRequests, requestDialect, type RequestsPlan } from './query.ts';
import { pageStatements, spanStatement } from './select.ts';
import { spansOf } from './spans.ts';

type Row = RequestRow & SortCells;
type Body = Partial<Omit<RequestQuery, 'filter'>> & { readonly filter?: unknown };

const hour = 3_600_000;
const day = 24 * hour;
const body = (value: object) => ({ request_response_rmt: value });
const report = body({ request_body: { contains: 'report' } });
const arrived = (bounds: object) => body({ request_created_at: bounds });

function planOf(query: Body): RequestsPlan {
  const plan = planRequests(tenant, { filter: report, limit: 5, ...query }, requestDialect);
  if (!plan.ok || plan.value.kind !== 'page') throw new Error('The query is refused.');
  return plan.value.plan;
}

/** The spans in hours before now. */
const of = (query: Body) => spansOf(planOf(query), noon)?.map(({ from, to }) => [from, to].map((time) => time && (noon - time) / hour));

describe('the spans in which a page is looked for', () => {
  test('go back from now, without gaps, to the beginning', () => {
    expect(of({})).toEqual([
      [1, undefined],
      [24, 1],
      [720, 24],
      [undefined, 720],
    ]);
  });

  test('end where the filter begins, and begin where it ends', () => {
    const from = new Date(noon - 30 * hour).toISOString();
    const to = new Date(noon - 10 * hour).toISOString();
    expect(of({ filter: { left: report, operator: 'and', right: arrived({ gte: from }) } })).toEqual([
      [1, undefined],
      [24, 1],
      [undefined, 24],
    ]);
    expect(of({ filter: { left: report, operator: 'and', right: arrived({ lt: to }) } })?.[0]).toEqual([11, undefined]);
  });

  test('begin at the cursor', () => {
    const row = { id: idAt(noon - 40 * day, 1), created_ms: noon - 40 * day };
    const cursor = cursorBehind(planOf({}), row);
    expect(of(cursor === undefined ? {} : { cursor })?.[0]).toEqual([961, undefined]);
  });

  test.each([
    ['no condition on bodies', { filter: body({ model: { equals: 'm' } }) }],
    ['another order', { sort: { created_at: 'asc' } }],
    ['the order of a value', { sort: { cost: 'desc' } }],
    ['a random order', { sort: { random: true } }],
    ['an offset', { offset: 1 }],
  ] as const)('are none with %s', (_what, query) => {
    expect(spansOf(planOf(query as Body), noon)).toBeUndefined();
  });
});

describe('a page that is looked for in spans', () => {
  /** Ages from a minute to a hundred days, and one that is ahead of the clock. */
  const ages = Array.from({ length: 60 }, (_, n) => Math.round(60_000 * 1.22 ** n)).map((age, n) => (n === 7 ? -age : age));
  let rig: QueryRig;
  beforeAll(async () => {
    rig = await openQueryRig();
    await rig.insert(ages.map(recordAt), 'all');
  });
  afterAll(async () => rig?.close());

  test.each([
    ['a word', report],
    ['a word that is missing', body({ request_body: { 'not-contains': 'report' } })],
    ['a word or a model', { left: report, operator: 'or', right: body({ model: { equals: 'b' } }) }],
    ['a word and a model', { left: report, operator: 'and', right: body({ model: { equals: 'b' } }) }],
    ['two bodies', { left: report, operator: 'and', right: body({ response_body: { contains: 'answer' } }) }],
    ['a word of a time', { left: report, operator: 'and', right: arrived({ gte: new Date(noon - 3 * day).toISOString() }) }],
    [
      'a word in sessions of a cost',
      { left: report, operator: 'and', right: { sessions_request_response_rmt: { session_total_requests: { gte: 10 } } } },
    ],
    ['a word of nobody', body({ request_body: { contains: 'nothing like it' } })],
  ])('is the same as one that is read at once: %s', async (_what, filter) => {
    for (const limit of [1, 7, 100]) {
      let cursor: string | undefined;
      let found = 0;
      do {
        const plan = planOf({ filter, limit, ...(cursor === undefined ? {} : { cursor }) });
        const reads = spansOf(plan, noon)?.map((span) => (count: number) => spanStatement(plan, span, count)) ?? [];
        expect(reads.length).toBeGreaterThan(0);
        const rows = await runUntilFull<Row>(rig.store.run, reads, limit);
        expect(rows.map(({ id }) => id)).toEqual((await runUntilRows<Row>(rig.store.run, pageStatements(plan))).map(({ id }) => id));
        const last = rows.length < limit ? undefined : rows.at(-1);
        cursor = last === undefined ? undefined : cursorBehind(plan, last);
        found += rows.length;
      } while (cursor !== undefined);
      expect(found === 0).toBe(_what === 'a word of nobody');
    }
  });
});

const text = (value: string) => ({ kind: 'text', text: value }) as const;

function recordAt(age: number, n: number): RequestRecord {
  const createdAt = noon - age;
  return {
    ...empty,
    requestId: idAt(createdAt, n + 1),
    createdAt,
    model: n % 4 === 0 ? 'b' : 'a',
    sessionId: `s${n % 3}`,
    ...(n % 5 === 0 ? {} : { requestBody: text(n % 2 === 0 ? 'a report' : 'a poem') }),
    responseBody: text(n % 7 === 0 ? 'none' : 'an answer'),
  };
}
