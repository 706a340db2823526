import { unwrap } from '../../src/contract/fault.ts';
import type { SessionQuery } from '../../src/contract/sessions/query.ts';
import { uuidToNumber } from '../../src/model/ids.ts';
import { sessionItem } from '../../src/query/sessions/item.ts';
import { sessionPageStatement } from '../../src/query/sessions/list.ts';
import { planSessions } from '../../src/query/sessions/query.ts';
import type { SessionRow } from '../../src/query/sessions/columns.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeRunStatement } from '../../src/store/read/run-statement.ts';
import { arrivalOf, requestsOfSession, sessionNames, tenant } from './records.ts';
import type { Answer } from './sides.ts';

/** A question about sessions as a query of the API and as SQL written by hand. */
interface SessionQuestion {
  readonly name: string;
  /** Aim for the 95th percentile, milliseconds. */
  readonly aimMs: number;
  /** Draws the next call. */
  readonly draw: (random: () => number, records: number) => SessionQueryCall;
}

/** One call. */
export interface SessionQueryCall {
  readonly body: SessionQuery;
  /** Conditions on rows and on groups that select the sessions of the page. */
  readonly handWritten: { readonly where?: string; readonly having?: string };
}

const week = 7 * 24 * 60 * 60 * 1000;
const pageRows = 50;
const org = `toUInt128('${uuidToNumber(tenant)}')`;
const base = (body: SessionQuery): string =>
  `org_id = ${org} AND created_at >= fromUnixTimestamp64Milli(${body.startTimeUnixMs}, 'UTC') AND created_at <= fromUnixTimestamp64Milli(${body.endTimeUnixMs}, 'UTC') AND session_id != ''`;

/** Seven days at a random place in the time of the records. */
function someWeek(random: () => number, records: number): SessionQuery {
  const [first, last] = [arrivalOf(0), arrivalOf(records)];
  const from = first + Math.floor(random() * Math.max(0, last - first - week));
  return { startTimeUnixMs: from, endTimeUnixMs: from + week, limit: pageRows };
}

// Arrivals are after 1970 here, so the hand-written SQL needs no sign.
const newestFirstKey = 'bitShiftLeft(toUInt256(toUInt64(toUnixTimestamp64Milli(created_at))), 128) + request_id';
const newestName = `argMaxIf(session_name, ${newestFirstKey}, session_name != '')`;

/** The most common questions about sessions. */
export const sessionQuestions: readonly SessionQuestion[] = [
  {
    name: `sessions: page of ${pageRows} over 7 days`,
    aimMs: 120,
    draw: (random, records) => ({ body: someWeek(random, records), handWritten: {} }),
  },
  {
    name: 'sessions: of a session property',
    aimMs: 200,
    draw: (random, records) => {
      const team = `team-${Math.floor(random() * 50)}`;
      const having = `argMaxIf(properties['Team'], ${newestFirstKey}, mapContains(properties, 'Team')) = '${team}'`;
      return {
        body: { ...someWeek(random, records), filter: { session: { properties: { Team: { equals: team } } } } },
        handWritten: { having },
      };
    },
  },
  {
    name: 'sessions: search for a name',
    aimMs: 200,
    draw: (random, records) => searchFor(`flow ${Math.floor(random() * sessionNames)}`, someWeek(random, records)),
  },
  {
    name: 'sessions: search for an identifier',
    aimMs: 200,
    draw: (random, records) => searchFor(`session-${Math.floor((random() * records) / requestsOfSession)}`, someWeek(random, records)),
  },
  {
    name: 'sessions: of a request condition and a total',
    aimMs: 200,
    draw: (random, records) => {
      const filter = {
        left: { request_response_rmt: { status: { gte: 400 } } },
        operator: 'and',
        right: { sessions_request_response_rmt: { session_total_requests: { gte: 5 } } },
      };
      return { body: { ...someWeek(random, records), filter }, handWritten: { having: 'count() >= 5 AND countIf(status >= 400) > 0' } };
    },
  },
];

/** By hand, the statement first finds the sessions with a request that has the words. This was the faster of two variants. */
function searchFor(words: string, week7: SessionQuery): SessionQueryCall {
  const holds = (name: string): string => `(lowerUTF8(session_id) LIKE '%${words}%' OR lowerUTF8(${name}) LIKE '%${words}%')`;
  return {
    body: { ...week7, search: words },
    handWritten: {
      where: `session_id IN (SELECT session_id FROM requests WHERE ${base(week7)} AND ${holds('session_name')})`,
      having: holds(newestName),
    },
  };
}

/** The API's own session query over a store, without HTTP. */
export function openOurSessions(connections: Connections): (body: SessionQuery) => Promise<Answer> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 30 });
  return async (body) => {
    const plan = unwrap(planSessions(tenant, body));
    const data = (await run<SessionRow>(sessionPageStatement(plan))).map((row) => sessionItem(row, plan.offsetMinutes));
    const ids = data.map((item) => `${item.session_id} ${item.total_requests} ${item.total_tokens} ${item.created_at}`);
    return { ids, characters: JSON.stringify({ data, error: null }).length };
  };
}

const requestConditionOf = (having: string | undefined): string =>
  having?.includes('countIf(status >= 400)') === true ? 'status >= 400' : 'true';

/** The same answer by hand: the sessions of the page, then everything about them between their first and their latest request. */
export async function handWrittenSessions(connections: Connections, { body, handWritten }: SessionQueryCall): Promise<Answer> {
  const { where = 'true', having } = handWritten;
  const condition = requestConditionOf(having);
  const over = (aggregate: string, argument: string): string =>
    condition === 'true' ? `${aggregate}(${argument})` : `${aggregate}If(${argument === '' ? '' : `${argument}, `}${condition})`;
  const first = over('min', 'created_at');
  const keys = `SELECT session_id, ${first} AS first_at, min(created_at) AS from_at, max(created_at) AS to_at FROM requests WHERE ${base(body)} AND ${where} GROUP BY session_id ${having === undefined ? '' : `HAVING ${having}`} ORDER BY first_at DESC, session_id LIMIT ${body.limit}`;
  const query = `WITH (SELECT (groupArray(session_id), min(from_at), max(to_at)) FROM (${keys})) AS page,
      (SELECT maxMap(map(session_id, (number, tag))) FROM session_tags WHERE org_id = ${org} AND session_id IN (page.1)) AS tags
    SELECT session_id, ${newestName} AS name, tags[session_id].2 AS tag, toUnixTimestamp64Milli(${first}) AS first_ms, toUnixTimestamp64Milli(${over('max', 'created_at')}) AS latest_ms,
      toString(${over('sum', 'cost')}) AS cost, ${over('count', '')} AS requests_all, ${over('sum', 'prompt_tokens')} AS prompt, ${over('sum', 'completion_tokens')} AS completion,
      ${over('sum', 'total_tokens')} AS total, ${over('avg', 'latency')} AS latency_all, ${over('groupUniqArray', 'user_id')} AS users,
      mapApply((key, newest) -> (key, newest.2), maxMap(mapApply((key, value) -> (key, (${newestFirstKey}, value)), properties))) AS merged
    FROM requests WHERE ${base(body)} AND created_at >= page.2 AND created_at <= page.3 AND session_id IN (page.1)
    GROUP BY session_id ORDER BY first_ms DESC, session_id`;
  return connections.run('long', async (client) => {
    const answer = await client.query({
      query,
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    });
    const data = await answer.json<{ session_id: string; requests_all: number; total: number; first_ms: number }>();
    const ids = data.map((row) => `${row.session_id} ${row.requests_all} ${row.total} ${new Date(row.first_ms).toISOString()}`);
    return { ids, characters: JSON.stringify({ data, error: null }).length };
  });
}
