import { uuidOfHex, uuidToNumber } from '../../src/model/ids.ts';
import type { SessionNode } from '../../src/contract/sessions/view.ts';
import { requestItems } from '../../src/query/requests/item.ts';
import { decodeRequestRow, requestRowColumns } from '../../src/query/requests/columns.ts';
import { type SessionRequestRow, aggregateTree } from '../../src/query/session-detail/totals.ts';
import { sessionItem, sessionTree } from '../../src/query/session-detail/tree.ts';
import { planSession, fullSessionStatement } from '../../src/query/session-detail/statement.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeInsertRows } from '../../src/store/insert/insert.ts';
import { makeRunStatement } from '../../src/store/read/run-statement.ts';
import { rowsOf } from '../../src/store/insert/rows.ts';
import { recordAt, tenant } from './records.ts';

/** One session of a thousand requests over a day, among all the others, as a trace view reads it. */

const traceId = 'a long trace';
const traceRequests = 1000;
const org = `toUInt128('${uuidToNumber(tenant)}')`;
const columns = requestRowColumns.pieces.map(String).join('');
const address = (row: { readonly id: string }): string => `/v1/request/${row.id}/body`;

/** The values that both sides must agree on. */
interface TraceAnswer {
  readonly ids: readonly string[];
  readonly nodes: number;
  readonly cost: number;
}

/** Stores the session between the others' requests. @param records their number. */
export async function fillTrace(connections: Connections, records: number): Promise<void> {
  const insert = makeInsertRows(connections);
  const day = Math.floor(records / 30);
  const rows = Array.from({ length: traceRequests }, (_, index) => {
    const record = recordAt(Math.floor(records / 2) + Math.floor((index * day) / traceRequests), records, tenant);
    const hex = `${record.createdAt.toString(16).padStart(12, '0')}7abc9${index.toString(16).padStart(15, '0')}`;
    const step = `/agent/step-${index % 20}${index % 3 === 0 ? `/tool-${index % 7}` : ''}`;
    return rowsOf({ ...record, requestId: uuidOfHex(hex), sessionId: traceId, sessionPath: step }, record.createdAt);
  });
  await insert(
    'bodies',
    rows.map(({ bodies }) => bodies),
    'trace-bodies',
  );
  await insert(
    'requests',
    rows.map(({ request }) => request),
    'trace-requests',
  );
}

/** The API's own answer, without HTTP. */
async function ours(connections: Connections): Promise<TraceAnswer> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 30 });
  const planned = planSession(tenant, traceId, { limit: traceRequests });
  if (!planned.ok) throw new Error(planned.fault.message);
  const rows = await run<SessionRequestRow>(fullSessionStatement(planned.value));
  const nodes = aggregateTree(rows);
  const [root] = nodes;
  if (root === undefined) throw new Error('The session is not there.');
  const requests = requestItems(rows, [], address);
  const tree = sessionTree(nodes, requests);
  const answer = { session: sessionItem(traceId, root), requests, tree: [tree.root] };
  JSON.stringify({ data: answer, error: null });
  return { ids: requests.map(({ request_id: id }) => id), nodes: countOf(tree.root), cost: answer.session.total_cost };
}

function countOf({ children }: SessionNode): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}

interface HandTotals {
  requests: number;
  cost: number;
  tokens: number;
  latency: number;
}

/**
 * By hand: one statement for the requests, and sums of each path and its ancestors in floating point. The items are made as the API makes
 * them, since the contract defines their shape.
 */
async function byHand(connections: Connections): Promise<TraceAnswer> {
  const stored = await connections.run('short', async (client) =>
    (
      await client.query({
        query: `SELECT ${columns} FROM requests WHERE org_id = ${org} AND session_id = '${traceId}' ORDER BY created_at, request_id LIMIT ${traceRequests}`,
        format: 'JSONEachRow',
        clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      })
    ).json<Record<string, unknown>>(),
  );
  const rows = stored.map((row) => decodeRequestRow(row, tenant));
  const totals = new Map<string, HandTotals>();
  for (const row of rows) {
    const parts = row.session_path.split('/');
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const path = parts.slice(0, depth).join('/');
      const own = totals.get(path) ?? { requests: 0, cost: 0, tokens: 0, latency: 0 };
      totals.set(path, own);
      own.requests += 1;
      own.cost += Number(row.cost_text);
      own.tokens += Number(row.total_tokens);
      own.latency += Number(row.latency);
    }
  }
  JSON.stringify({ data: { totals: [...totals], requests: requestItems(rows, [], address) }, error: null });
  return { ids: rows.map(({ id }) => id), nodes: totals.size, cost: Number((totals.get('')?.cost ?? 0).toFixed(12)) };
}

/** Measures the tree of the session on both sides. @returns lines of a table. */
export async function compareTrees(connections: Connections, calls: number): Promise<string[]> {
  const sides = [ours, byHand].map((answer) => ({ answer, samples: [] as number[] }));
  for (let call = -Math.ceil(calls / 3); call < calls; call += 1) {
    const answers: string[] = [];
    for (const { answer, samples } of call % 2 === 0 ? sides : sides.toReversed()) {
      const start = performance.now();
      const given = await answer(connections);
      const ms = performance.now() - start;
      if (call >= 0) samples.push(ms);
      answers.push(JSON.stringify(given));
    }
    if (new Set(answers).size !== 1) throw new Error(`The two sides show another session: ${answers.join(' and ').slice(0, 500)}`);
  }
  const [own, hand] = sides.map(({ samples }) => {
    const sorted = samples.toSorted((left, right) => left - right);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return [at(0.5), at(0.95)] as const;
  });
  if (own === undefined || hand === undefined) throw new Error('A side was not measured.');
  const cells = [...own, ...hand].map((ms) => ms.toFixed(1));
  const ratios = [own[0] / hand[0], own[1] / hand[1]].map((ratio) => ratio.toFixed(2));
  return [
    '| one session | ours p50 ms | ours p95 ms | by hand p50 ms | by hand p95 ms | ours ÷ by hand, p50 | p95 | aim for p95 ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    `| tree of ${traceRequests} requests | ${[...cells, ...ratios].join(' | ')} | 80 |`,
  ];
}
