import {
  type Arbitrary,
  asyncProperty,
  boolean,
  check,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  record,
  tuple,
  uniqueArray,
} from 'fast-check';
import { type SessionNameQuery, type SessionQuery, tailSizes } from '../../contract/sessions/query.ts';
import { sessionSortKeys, sortDirections } from '../../model/vocabulary/sort.ts';
import type { Statement } from '../../sql/statement.ts';
import { makeRunStatement, type RunStatement } from '../../store/read/run-statement.ts';
import { parseFilter } from '../filter/parse.ts';
import { parts, randomFilters } from '../filter/testing/random-queries.ts';
import { type FilterRecord, sessionAggregatesOf } from '../filter/record.ts';
import { type Comparison, organization, textOf, type World } from '../filter/testing/same-result.ts';
import { cursorBehindSession } from '../sessions/cursor.ts';
import { sessionItem, sessionMetrics, sessionNameItem, sessionTotals } from '../sessions/item.ts';
import { type SessionNameRow, sessionNamesStatement } from '../sessions/names.ts';
import { sessionCountStatement, sessionPageStatement, sessionTotalsStatement, type SessionTotalsRow } from '../sessions/list.ts';
import { planSessionNames, planSessions, sessionDialect } from '../sessions/query.ts';
import {
  costUnitsOf,
  referenceItem,
  referenceMetrics,
  referenceNames,
  type ReferenceQuestion,
  type ReferenceSession,
  referenceTotals,
  sessionsAsked,
} from './reference-sessions.ts';
import type { SessionRow } from '../sessions/columns.ts';
import { type SessionDistributionRow, sessionDistributionStatement } from '../sessions/distribution.ts';

/** A session query as a caller writes it, beside what it means in plain terms. */
interface RandomSessionQuery {
  readonly body: SessionQuery;
  readonly range: Pick<ReferenceQuestion, 'from' | 'to'>;
  readonly sort: ReferenceQuestion['sort'];
  readonly zone: { readonly minutes: number; readonly text: string };
  /** Pages are reached by cursor instead of by offset. */
  readonly byCursor: boolean;
  /** What is compared beside the page. */
  readonly beside: 'totals' | 'names' | 'metrics';
  readonly tail: { readonly body: Pick<SessionNameQuery, 'pSize' | 'useInterquartile'>; readonly share: number | undefined };
}

type Range = Pick<ReferenceQuestion, 'from' | 'to'>;

const zones: readonly (RandomSessionQuery['zone'] & { readonly difference: number | undefined })[] = [
  { difference: undefined, minutes: 0, text: 'Z' },
  { difference: 0, minutes: 0, text: 'Z' },
  { difference: -8, minutes: -480, text: '-08:00' },
  { difference: 5.5, minutes: 330, text: '+05:30' },
  { difference: -210, minutes: -210, text: '-03:30' },
  { difference: 1440, minutes: 1440, text: '+24:00' },
  { difference: 24, minutes: 1440, text: '+24:00' },
];

const shares = { p50: 0.5, p75: 0.75, p95: 0.95, p99: 0.99, 'p99.9': 0.999 } as const;

/** One key or several, each once. */
const sorts = uniqueArray(tuple(constantFrom(...Object.keys(sessionSortKeys)), constantFrom(...sortDirections)), {
  selector: ([key]) => key,
  minLength: 1,
  maxLength: 3,
});

/** What of a filter is asked over sessions is asked for six times as often as other fields. */
const weights: Readonly<Record<string, number>> = { sessions_request_response_rmt: 6, session: 30 };

function randomSessionQueries(records: readonly FilterRecord[]): Arbitrary<RandomSessionQuery> {
  const membersOf = (id: string): readonly FilterRecord[] => records.filter(({ sessionId }) => sessionId === id);
  const subjects = records.map((one) => ({
    record: one,
    session: one.sessionId === '' ? null : sessionAggregatesOf(membersOf(one.sessionId)),
  }));
  const names = constantFrom('', ...records.map(({ sessionName }) => sessionName));
  const texts = constantFrom(...records.flatMap(({ sessionId, sessionName }) => [sessionId, sessionName]), 'nowhere');
  return record({
    filter: oneof(
      { weight: 1, arbitrary: constant(undefined) },
      { weight: 9, arbitrary: randomFilters(subjects, (group) => weights[group] ?? 1) },
    ),
    range: ranges(records.map(({ createdAt }) => createdAt)),
    search: oneof({ weight: 3, arbitrary: constant(undefined) }, { weight: 1, arbitrary: parts(texts) }),
    named: oneof({ weight: 9, arbitrary: constant(undefined) }, { weight: 1, arbitrary: names }),
    zone: constantFrom(...zones),
    sort: oneof({ weight: 1, arbitrary: constant(undefined) }, { weight: 3, arbitrary: sorts }),
    offset: oneof({ weight: 3, arbitrary: constant(0) }, nat(4)),
    limit: oneof({ weight: 2, arbitrary: constant(undefined) }, nat(4)),
    byCursor: boolean(),
    size: constantFrom(undefined, ...tailSizes),
    nearQuartiles: boolean(),
    beside: constantFrom('totals', 'names', 'metrics'),
  }).map(({ filter, range, search, named, zone, sort, offset, limit, byCursor, size, nearQuartiles, beside }) => ({
    body: {
      ...range.body,
      filter,
      search,
      nameEquals: named,
      timezoneDifference: zone.difference,
      sort: sort === undefined ? undefined : Object.fromEntries(sort),
      offset,
      limit,
    },
    range: range.means,
    sort,
    zone,
    byCursor,
    beside,
    tail: {
      body: { pSize: size, useInterquartile: nearQuartiles },
      share: nearQuartiles ? undefined : shares[size ?? 'p75'],
    },
  }));
}

/** A range in one of the ways in which it can be written: none, one-sided, as an object, beside fields that it wins over. */
function ranges(times: readonly number[]): Arbitrary<{ readonly body: Partial<SessionQuery>; readonly means: Range }> {
  const bound = option(
    tuple(constantFrom(...times), constantFrom(0, 0, 1, -1, 0.5)).map(([time, change]) => time + change),
    { freq: 2, nil: undefined },
  );
  return tuple(bound, bound, constantFrom('fields', 'object', 'both')).map(([from, to, written]) => {
    const fields = { startTimeUnixMs: from, endTimeUnixMs: to };
    const body =
      written === 'fields' ? fields : { timeFilter: fields, ...(written === 'both' ? { startTimeUnixMs: 0, endTimeUnixMs: 1 } : {}) };
    return { body, means: { from, to } };
  });
}

/** Compares the session query with the reference. */
export const compareSessions: Comparison = async (world, { runs, seed }) => {
  const run = makeRunStatement(world.connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 2 ** 30 });
  const all = sessionsAsked(world, { filter: { kind: 'all' } });
  let telling = 0;
  const details = await check(
    asyncProperty(randomSessionQueries(world.records), async (query) => {
      const question = questionOf(query);
      const asked = sessionsAsked(world, question);
      const requests = asked.reduce((sum, { kept }) => sum + kept.length, 0);
      if (asked.length > 0 && requests < all.reduce((sum, { kept }) => sum + kept.length, 0)) telling += 1;
      const difference = await differenceOf(run, query, { world, asked, question });
      if (difference !== null) throw new Error(difference);
    }),
    { numRuns: runs, seed },
  );
  const [found] = details.counterexample ?? [];
  const mismatch =
    found === undefined
      ? null
      : `seed ${seed}, path ${details.counterexamplePath}: ${textOf(found.body)}\n${details.errorInstance instanceof Error ? details.errorInstance.message : ''}`;
  return { queries: details.numRuns, telling, mismatch };
};

function questionOf({ body, range, sort }: RandomSessionQuery): ReferenceQuestion {
  const parsed = parseFilter(body.filter ?? {}, sessionDialect);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return { ...range, filter: parsed.value.filter, search: body.search, nameEquals: body.nameEquals, sort };
}

interface Expected {
  readonly world: World;
  readonly asked: readonly ReferenceSession[];
  readonly question: ReferenceQuestion;
}

/** How the store's answers differ from those that are expected, in words; null when they do not. */
async function differenceOf(run: RunStatement, query: RandomSessionQuery, { world, asked, question }: Expected): Promise<string | null> {
  const { offset = 0, limit = 50 } = query.body;
  const page = asked.slice(offset, offset + limit);
  const { rows, minutes } = await pageOf(run, query);
  const found = rows.map((row) => ({ item: sessionItem(row, minutes), units: unitsOf(row.cost_sum) }));
  const wanted = page.map((session) => ({ item: referenceItem(session, query.zone), units: costUnitsOf([session]) }));
  const difference = parted('page', found, wanted);
  if (difference !== null) return difference;
  if (query.beside === 'totals') return totalsDifference(run, query, asked);
  const named = { ...question, search: undefined, nameEquals: undefined, nameContains: query.body.search };
  return namesDifference(run, query, sessionsAsked(world, named));
}

async function pageOf(
  run: RunStatement,
  { body, byCursor }: RandomSessionQuery,
): Promise<{ rows: readonly SessionRow[]; minutes: number }> {
  const plan = accepted(planSessions(organization, body));
  const { offset = 0, limit = 50 } = body;
  const rowsOf = async (statement: Statement): Promise<readonly SessionRow[]> => run<SessionRow>(statement);
  if (limit === 0) return { rows: [], minutes: plan.offsetMinutes };
  if (!byCursor || offset === 0) return { rows: await rowsOf(sessionPageStatement(plan)), minutes: plan.offsetMinutes };
  const before = await rowsOf(sessionPageStatement({ ...plan, offset: 0, limit: offset }));
  const last = before.at(-1);
  if (last === undefined || before.length < offset) return { rows: [], minutes: plan.offsetMinutes };
  const cursor = cursorBehindSession(plan, last);
  const next = accepted(planSessions(organization, { ...body, cursor }));
  return { rows: await rowsOf(sessionPageStatement(next)), minutes: next.offsetMinutes };
}

async function totalsDifference(
  run: RunStatement,
  { body }: RandomSessionQuery,
  asked: readonly ReferenceSession[],
): Promise<string | null> {
  const plan = accepted(planSessions(organization, body));
  const [[totals], [count]] = [
    await run<SessionTotalsRow>(sessionTotalsStatement(plan)),
    await run<Pick<SessionTotalsRow, 'session_count'>>(sessionCountStatement(plan)),
  ];
  if (totals === undefined || Number(count?.session_count) !== asked.length) {
    return `the count is ${count?.session_count}, not ${asked.length}`;
  }
  const found = { totals: sessionTotals(totals), units: unitsOf(totals.cost_sum) };
  return parted('count', [found], [{ totals: referenceTotals(asked), units: costUnitsOf(asked) }]);
}

async function namesDifference(
  run: RunStatement,
  { body, beside, tail }: RandomSessionQuery,
  asked: readonly ReferenceSession[],
): Promise<string | null> {
  const { filter, timeFilter, startTimeUnixMs, endTimeUnixMs, search } = body;
  const asking = { filter, timeFilter, startTimeUnixMs, endTimeUnixMs, nameContains: search, ...tail.body };
  const plan = accepted(planSessionNames(organization, asking));
  if (beside === 'names') {
    const names = await run<SessionNameRow>(sessionNamesStatement(plan));
    return parted(
      'names',
      names.map((row) => sessionNameItem(row, plan.offsetMinutes)),
      referenceNames(asked),
    );
  }
  const spread = await run<SessionDistributionRow>(sessionDistributionStatement(plan, plan.tail));
  return parted('metrics', spread.map(sessionMetrics), [referenceMetrics(asked, tail.share)]);
}

function accepted<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: { readonly message: string } },
): Value {
  if (!result.ok) throw new Error(result.fault.message);
  return result.value;
}

/** Where two lists part, null when they are one. The order of an object's keys says nothing. */
function parted(what: string, found: readonly unknown[], wanted: readonly unknown[]): string | null {
  const texts = [found, wanted].map((list) => list.map((one) => textOf(sorted(one))));
  const [left = [], right = []] = texts;
  const place = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => index).find(
    (index) => left[index] !== right[index],
  );
  return place === undefined ? null : `${what}, place ${place} of ${right.length}\nstore:     ${left[place]}\nreference: ${right[place]}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Array.isArray(value) ? value.map(sorted) : value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}

/** Decimal text of dollars in units of 10⁻¹². */
function unitsOf(text: string): bigint {
  const [integerPart = '', fraction = ''] = text.split('.');
  return BigInt(integerPart + fraction.padEnd(12, '0'));
}
