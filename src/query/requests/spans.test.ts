import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byLength } from '../../../test/support/test-length.ts';
import { readRequestPage } from '../../reading/request-page.ts';
import { runUntilRows } from '../../store/read/run-statement.ts';
import type { RequestQuery } from '../../contract/requests/query.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import type { RequestRow } from './columns.ts';
import { cursorBehind, type SortCells } from './cursor.ts';
import { planRequests, requestDialect, type RequestsPlan } from './query.ts';
import { pageStatements } from './select.ts';
import { spanSearchOf } from './spans.ts';

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

/** The spans in hours before now, while each has so many of the 5 requests of a page. */
function spansOf(query: Body, ...found: readonly number[]): readonly (readonly (number | undefined)[])[] {
  const search = spanSearchOf(planOf(query), noon);
  const spans: (readonly (number | undefined)[])[] = [];
  let [all, index] = [0, 0];
  for (let span = search?.first; span !== undefined; span = search?.next(span, all)) {
    spans.push([span.from, span.to].map((time) => time && (noon - time) / hour));
    all += found[index] ?? 0;
    index += 1;
  }
  return spans;
}

describe('the spans in which a page is looked for', () => {
  test('of a word that is in nothing new: six hours, and everything before', () => {
    expect(spansOf({})).toEqual([
      [6, undefined],
      [undefined, 6],
    ]);
  });

  test('of a common word: as far back as its density says, up to thirty days, and everything before', () => {
    expect(spansOf({}, 5)).toEqual([[6, undefined]]);
    expect(spansOf({}, 1, 4)).toEqual([
      [6, undefined],
      [37.5, 6],
    ]);
    expect(spansOf({}, 1, 3)).toEqual([
      [6, undefined],
      [37.5, 6],
      [150, 37.5],
      [600, 150],
      [undefined, 600],
    ]);
    expect(spansOf({ limit: 1000 }, 1)).toEqual([
      [6, undefined],
      [undefined, 6],
    ]);
  });

  test('end where the filter begins, and begin where it ends', () => {
    const from = (age: number) => ({ left: report, operator: 'and', right: arrived({ gte: new Date(noon - age * hour).toISOString() }) });
    expect(spansOf({ filter: from(5) })).toEqual([[undefined, undefined]]);
    expect(spansOf({ filter: from(30) }, 1)).toEqual([
      [6, undefined],
      [undefined, 6],
    ]);
    const to = { left: report, operator: 'and', right: arrived({ lt: new Date(noon - 10 * hour).toISOString() }) };
    expect(spansOf({ filter: to })[0]).toEqual([16, undefined]);
    const early = { left: report, operator: 'and', right: arrived({ lt: '1970-01-01T01:00:00Z' }) };
    expect(spansOf({ filter: early })).toEqual([[undefined, undefined]]);
  });

  test('begin at the cursor', () => {
    const row = { id: idAt(noon - 40 * day, 1), created_ms: noon - 40 * day };
    const cursor = cursorBehind(planOf({}), row);
    expect(spansOf(cursor === undefined ? {} : { cursor })[0]).toEqual([966, undefined]);
  });

  test.each([
    ['no condition on bodies', { filter: body({ model: { equals: 'm' } }) }],
    ['another order', { sort: { created_at: 'asc' } }],
    ['the order of a value', { sort: { cost: 'desc' } }],
    ['a random order', { sort: { random: true } }],
    ['an offset', { offset: 1 }],
  ] as const)('are none with %s', (_what, query) => {
    expect(spanSearchOf(planOf(query as Body), noon)).toBeUndefined();
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
  ])('is the same as one that is read at once: %s', async (what, filter) => {
    // Row by row takes sixty pages.
    for (const limit of byLength(what === 'a word' ? [1, 7, 100] : [7, 100], [1, 7, 100])) {
      let cursor: string | undefined;
      let found = 0;
      do {
        const plan = planOf({ filter, limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(spanSearchOf(plan, noon)).toBeDefined();
        const rows = await readRequestPage(plan, { run: rig.store.run, now: noon });
        expect(rows.map(({ id }) => id)).toEqual((await runUntilRows<Row>(rig.store.run, pageStatements(plan))).map(({ id }) => id));
        const last = rows.length < limit ? undefined : rows.at(-1);
        cursor = last === undefined ? undefined : cursorBehind(plan, last);
        found += rows.length;
      } while (cursor !== undefined);
      expect(found === 0).toBe(what === 'a word of nobody');
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
