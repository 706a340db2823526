import { uuidOfHex, uuidToNumber } from '../../src/model/ids.ts';
import type { SessionNode } from '../../src/contract/session-view.ts';
import { requestItems } from '../../src/query/request-item.ts';
import { type RequestRow, requestRowColumns } from '../../src/query/request-row.ts';
import { sessionItem, sessionTree } from '../../src/query/session/tree.ts';
import { pageOf, planSession, type SessionNodeRow, sessionRequestsStatements, sessionStatement } from '../../src/query/session/view.ts';
import type { Connections } from '../../src/store/connections.ts';
import { makeInsertRows } from '../../src/store/insert.ts';
import { makeRunStatement, runUntilRows } from '../../src/store/run.ts';
import { rowsOf } from '../../src/store/tables/rows.ts';
import { recordAt, tenant } from './records.ts';

/** One session of a thousand requests over a day, among all the others, as a trace view reads it. */

const traceId = 'a long trace';
const traceRequests = 1000;
const org = `toUInt128('${uuidToNumber(tenant)}')`;
const columns = requestRowColumns.pieces.map(String).join('');
const address = (row: { readonly id: string }): string => `/v1/request/${row.id}/body`;

/** What both sides must agree on. */
interface TraceAnswer {
  readonly ids: readonly string[];
  readonly nodes: number;
  readonly cost: number;
}

/** Stores the session between the others' requests. @param records how many there are. */
export async function fillTrace(connections: Connections, records: number): Promise<void> {
  const insert = makeInsertRows(connections);
  const day = Math.floor(records / 30);
  const rows = Array.from({ length: traceRequests }, (_, index) => {
    const record = recordAt(Math.floor(records / 2) + Math.floor((index * day) / traceRequests), records, tenant);
    const hex = `${record.createdAt.toString(16).padStart(12, '0')}7abc9${index.toString(16).padStart(15, '0')}`;
    const step = `/agent/step-${index % 20}${index % 3 === 0 ? `/tool-${index % 7}` : ''}`;
    return rowsOf({ ...record, requestId: uuidOfHex(hex), sessionId: traceId, sessionPath: step }, record.createdAt);
  });
  await insert('bodies', rows.map(({ bodies }) => bodies).join('\n'), 'trace-bodies');
  await insert('requests', rows.map(({ request }) => request).join('\n'), 'trace-requests');
}

/** As the API answers it, without HTTP. */
async function ours(connections: Connections): Promise<TraceAnswer> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 30 });
  const planned = planSession(tenant, traceId, { limit: traceRequests });
  if (!planned.ok) throw new Error(planned.fault.message);
  const nodes = await run<SessionNodeRow>(sessionStatement(planned.value));
  const [root] = nodes;
  if (root === undefined) throw new Error('The session is not there.');
  const { keys } = pageOf(planned.value, root);
  const rows = await runUntilRows<RequestRow>(run, sessionRequestsStatements(tenant, keys));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const requests = requestItems(
    keys.flatMap(({ id }) => byId.get(id) ?? []),
    [],
    address,
  );
  const tree = sessionTree(nodes, requests);
  const answer = { session: sessionItem(traceId, root), requests, tree: [tree.root] };
  JSON.stringify({ data: answer, error: null });
  return { ids: requests.map(({ request_id: id }) => id), nodes: countOf(tree.root), cost: answer.session.total_cost };
}

function countOf({ children }: SessionNode): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}

interface PathTotals {
  readonly session_path: string;
  readonly cost: string;
}

/** By hand: the totals of each path and of the session, then the requests, as the rows come; the tree is left to whoever reads it. */
async function byHand(connections: Connections): Promise<TraceAnswer> {
  const where = `org_id = ${org} AND session_id = '${traceId}'`;
  return connections.run('short', async (client) => {
    const rowsFrom = async <Row>(query: string): Promise<readonly Row[]> =>
      (
        await client.query({ query, format: 'JSONEachRow', clickhouse_settings: { output_format_json_quote_64bit_integers: 0 } })
      ).json<Row>();
    const totals = await rowsFrom<PathTotals>(
      `SELECT session_path, count() AS requests, toString(sum(cost)) AS cost, sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion,
        sum(total_tokens) AS total, avg(latency) AS mean, min(created_at) AS first, max(created_at + toIntervalMillisecond(latency)) AS ended,
        argMax(session_name, created_at) AS name, groupUniqArray(user_id) AS users,
        maxMap(mapApply((key, text) -> (key, (created_at, text)), properties)) AS newest
      FROM requests WHERE ${where} GROUP BY session_path WITH ROLLUP ORDER BY session_path`,
    );
    const rows = await rowsFrom<RequestRow>(
      `SELECT ${columns} FROM requests WHERE ${where} ORDER BY created_at, request_id LIMIT ${traceRequests}`,
    );
    JSON.stringify({ data: { totals, requests: rows }, error: null });
    const nodes = new Set(
      totals.flatMap(({ session_path: path }) => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))),
    );
    return { ids: rows.map(({ id }) => id), nodes: nodes.size, cost: Number(totals[0]?.cost) };
  });
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
