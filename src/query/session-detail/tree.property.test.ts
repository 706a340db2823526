import { array, assert, asyncProperty, constantFrom, nat, oneof, option, record, string, tuple } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionNode } from '../../contract/sessions/view.ts';
import { type Money, moneyOfUnits, usdOf } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import type { RequestRow } from '../requests/columns.ts';
import { sessionItem, sessionTree } from './tree.ts';
import { type SessionRequestRow, aggregateTree } from './totals.ts';
import {
  pageOf,
  planSession,
  type SessionNodeRow,
  type SessionPlan,
  sessionRequestsStatements,
  sessionStatement,
  fullSessionStatement,
} from './statement.ts';
import { byLength } from '../../../test/support/test-length.ts';

let rig: QueryRig;
beforeAll(async () => {
  rig = await openQueryRig();
});
afterAll(async () => rig.close());

const names = constantFrom('a', 'b', 'A', 'ü', ' ', '.', '%', "it's", '__proto__', 'a\\b');
const wellFormedPaths = array(names, { maxLength: 4 }).map((levels) => `/${levels.join('/')}`);
const oddPaths = oneof(
  constantFrom('', '/', '//', 'a//b/', 'a', '/a/', '///a', `${'/deep'.repeat(40)}/end`),
  string({ unit: constantFrom('a', '/', 'b', '\0', '😀'), maxLength: 8 }),
);
const aggregates = record({
  path: oneof({ weight: 3, arbitrary: wellFormedPaths }, oddPaths),
  ms: nat(20),
  latencyMs: option(nat(50)),
  cost: option(nat(1000)),
  promptTokens: option(nat(9)),
  completionTokens: option(nat(9)),
  failure: constantFrom(null, { kind: 'status', type: '', message: '' } as const),
  name: constantFrom('', 'n', 'm'),
  user: constantFrom('', 'u', 'v', 'Ü'),
  properties: array(tuple(constantFrom('Team', 'team', '__proto__', 'x'), constantFrom('', '1', '2')), { maxLength: 3 }),
});

let made = 0;

function recordsOf(sessionId: string, given: readonly Facts[]): RequestRecord[] {
  return given.map(({ path, ms, latencyMs, cost, promptTokens, completionTokens, failure, name, user, properties }) => {
    made += 1;
    return {
      ...empty,
      requestId: idAt(noon + ms, (made * 7919) % 1_000_003),
      createdAt: noon + ms,
      sessionId,
      sessionName: name,
      sessionPath: path,
      userId: user,
      latencyMs,
      properties: new Map(properties),
      usage: { ...unreportedUsage, promptTokens, completionTokens },
      cost: cost === null ? null : moneyOfUnits(BigInt(cost)),
      failure,
    };
  });
}

interface Facts {
  readonly path: string;
  readonly ms: number;
  readonly latencyMs: number | null;
  readonly cost: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly failure: RequestRecord['failure'];
  readonly name: string;
  readonly user: string;
  readonly properties: readonly (readonly [string, string])[];
}

const levelsOf = ({ sessionPath }: RequestRecord): string[] => sessionPath.split('/').filter(Boolean).slice(0, 32);
const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((total, value) => total + (value ?? 0), 0);

/** The tree as the words of the documentation make it: a node holds a request when its path is the beginning of the request's. */
function expectedTree(records: readonly RequestRecord[], page: readonly string[], levels: readonly string[]): SessionNode {
  const below = records.filter((one) => levels.every((level, index) => levelsOf(one)[index] === level));
  const own = below.filter((one) => levelsOf(one).length === levels.length);
  const next = [...new Set(below.flatMap((one) => levelsOf(one).slice(levels.length, levels.length + 1)))];
  const latencies = below.flatMap(({ latencyMs }) => latencyMs ?? []);
  const start = Math.min(...below.map(({ createdAt }) => createdAt));
  const tokens = [sum(below.map(({ usage }) => usage.promptTokens)), sum(below.map(({ usage }) => usage.completionTokens))] as const;
  const children = next.map((name) => expectedTree(records, page, [...levels, name]));
  return {
    path: `/${levels.join('/')}`,
    name: levels.at(-1) ?? '/',
    request_ids: page.filter((id) => own.some(({ requestId }) => requestId === id)),
    children: children.toSorted((left, right) => (orderText(left) < orderText(right) ? -1 : 1)),
    totals: {
      requests: below.length,
      failed: below.filter((one) => one.failure !== null).length,
      cost: usdOf(below.reduce<bigint>((total, { cost }) => total + (cost ?? 0n), 0n) as Money),
      prompt_tokens: tokens[0],
      completion_tokens: tokens[1],
      total_tokens: tokens[0] + tokens[1],
      avg_latency: latencies.length === 0 ? 0 : sum(latencies) / latencies.length,
      duration: Math.max(...below.map(({ createdAt, latencyMs }) => createdAt + (latencyMs ?? 0))) - start,
      created_at: new Date(start).toISOString(),
    },
  };
}

/** Times of one length sort as texts, and the name decides between equal ones. */
function orderText({ name, totals }: SessionNode): string {
  return `${totals.created_at} ${name}`;
}

function expectedItem(sessionId: string, oldestFirst: readonly RequestRecord[], { totals }: SessionNode) {
  const latest = new Date(oldestFirst.at(-1)?.createdAt ?? 0).toISOString();
  return {
    session_id: sessionId,
    session_name: oldestFirst.findLast(({ sessionName }) => sessionName !== '')?.sessionName ?? '',
    created_at: totals.created_at,
    latest_request_created_at: latest,
    last_used: latest,
    total_cost: totals.cost,
    total_requests: totals.requests,
    failed: totals.failed,
    prompt_tokens: totals.prompt_tokens,
    completion_tokens: totals.completion_tokens,
    total_tokens: totals.total_tokens,
    avg_latency: totals.avg_latency,
    user_ids: [...new Set(oldestFirst.flatMap(({ userId }) => (userId === '' ? [] : [userId])))].toSorted(),
    properties: Object.fromEntries(oldestFirst.flatMap(({ properties }) => [...properties])),
    session_tag: null,
  };
}

/** A page of a session as the store sums it up. */
async function pageThrough(sessionId: string, limit: number, cursor: string | undefined) {
  const plan = planOf(sessionId, limit, cursor);
  const nodes = await rig.store.run<SessionNodeRow>(sessionStatement(plan));
  const [root] = nodes;
  if (root === undefined) throw new Error('The session is not there.');
  const page = pageOf(plan, root);
  const rows: RequestRow[] = [];
  for (const statement of sessionRequestsStatements(tenant, page.keys)) rows.push(...(await rig.store.run<RequestRow>(statement)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    ...shown(
      sessionId,
      nodes,
      page.keys.flatMap(({ id }) => byId.get(id) ?? []),
    ),
    next: page.cursor,
  };
}

/** A session that is one page. */
async function bigintOf(sessionId: string, limit: number) {
  const rows = await rig.store.run<SessionRequestRow>(fullSessionStatement(planOf(sessionId, limit, undefined)));
  return rows.length > limit ? undefined : shown(sessionId, aggregateTree(rows), rows);
}

function planOf(sessionId: string, limit: number, cursor: string | undefined): SessionPlan {
  const planned = planSession(tenant, sessionId, { limit, cursor });
  if (!planned.ok) throw new Error(planned.fault.message);
  return planned.value;
}

function shown(sessionId: string, nodes: readonly SessionNodeRow[], rows: readonly RequestRow[]) {
  const [root] = nodes;
  if (root === undefined) throw new Error('A session has a root.');
  const placed = rows.map(({ id, session_path: path }) => ({ request_id: id, session_path: path }));
  return { ids: placed.map(({ request_id: id }) => id), ...sessionTree(nodes, placed), item: sessionItem(sessionId, root) };
}

let sessions = 0;

test('session, tree and pages are those of an independent builder, for any paths', async () => {
  const property = asyncProperty(array(aggregates, { minLength: 1, maxLength: 25 }), nat(6), async (given, rest) => {
    sessions += 1;
    const sessionId = `session ${sessions}/%`;
    const records = recordsOf(sessionId, given);
    await rig.insert(records, `session-${sessions}`);
    const oldestFirst = records.toSorted((left, right) => left.createdAt - right.createdAt || (left.requestId < right.requestId ? -1 : 1));
    const limit = 1 + rest * 4;
    const all = oldestFirst.map(({ requestId }) => requestId as string);
    const wholeTree = expectedTree(records, all, []);
    const whole = { ids: all, root: wholeTree, cut: false, item: expectedItem(sessionId, oldestFirst, wholeTree) };
    expect(await bigintOf(sessionId, limit)).toEqual(records.length > limit ? undefined : whole);
    let cursor: string | undefined;
    for (let from = 0; from < records.length; from += limit) {
      const page = await pageThrough(sessionId, limit, cursor);
      const ids = oldestFirst.slice(from, from + limit).map(({ requestId }) => requestId as string);
      const tree = expectedTree(records, ids, []);
      expect({ ...page, next: page.next !== undefined }).toEqual({
        ids,
        root: tree,
        cut: false,
        item: expectedItem(sessionId, oldestFirst, tree),
        next: from + limit < records.length,
      });
      cursor = page.next;
    }
  });
  // A failure prints its seed and path.
  await assert(property, { numRuns: byLength(20, 60), seed: 20_260_901 });
});

test('a session of one page whose tree is cut is shown as the store would show it', async () => {
  const records = Array.from({ length: 400 }, (_, index) => ({
    ...empty,
    requestId: idAt(noon + index, index),
    createdAt: noon + index,
    sessionId: 'bushy',
    sessionPath: Array.from({ length: 20 }, (_level, depth) => (depth === 0 ? `ü${index}` : `😀${depth}`)).join('/'),
  }));
  await rig.insert(records, 'bushy');
  const whole = await bigintOf('bushy', 1000);
  expect(whole?.cut).toBe(true);
  const { next, ...summedInStore } = await pageThrough('bushy', 1000, undefined);
  expect([next, summedInStore]).toEqual([undefined, whole]);
});

const longSession = byLength(12_000, 100_000);

test(`a session of ${longSession} requests in 6,000 places is shown, with the deepest nodes left out and all totals whole`, async () => {
  const [count, places] = [longSession, 6000];
  const records = Array.from({ length: count }, (_, index) => ({
    ...empty,
    requestId: idAt(noon + index, index),
    createdAt: noon + index,
    sessionId: 'long',
    sessionPath: `/part-${index % 10}/place-${index % places}`,
    usage: { ...unreportedUsage, promptTokens: 1 },
    cost: moneyOfUnits(1n),
  }));
  for (let from = 0; from < count; from += 20_000) await rig.insert(records.slice(from, from + 20_000), `long-${from}`);
  const page = await pageThrough('long', 1000, undefined);
  expect(page.item).toMatchObject({ total_requests: count, total_tokens: count, total_cost: count / 1e12 });
  expect([page.cut, page.ids.length, page.root.totals.requests]).toEqual([true, 1000, count]);
  expect(page.root.children.map(({ totals }) => totals.requests)).toEqual(Array.from({ length: 10 }, () => count / 10));
  const placed = [page.root, ...page.root.children, ...page.root.children.flatMap(({ children }) => children)];
  expect(placed).toHaveLength(5000);
  expect(placed.flatMap(({ request_ids: ids }) => ids).toSorted()).toEqual(page.ids.toSorted());
  const second = await pageThrough('long', 1000, page.next);
  expect(second.ids[0]).toBe(records[1000]?.requestId);
});

test('a session of many pages is summed up in the long lane, where it holds up no point reads', () => {
  const plan = planOf('any', 1, undefined);
  expect([fullSessionStatement(plan).lane, sessionStatement(plan).lane]).toEqual(['short', 'long']);
});
