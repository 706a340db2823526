import { unwrap } from '../../src/contract/fault.ts';
import type { RequestQuery } from '../../src/contract/requests/query.ts';
import { type RequestId, timeOfUuid, uuidOfHex, uuidToNumber } from '../../src/model/ids.ts';
import { cursorBehind, type SortCells } from '../../src/query/requests/cursor.ts';
import { planRequests, requestDialect, type RequestsPlan } from '../../src/query/requests/query.ts';
import { requestStatements } from '../../src/query/request-detail/lookup.ts';
import { requestItems } from '../../src/query/requests/item.ts';
import type { BodiesRow, RequestRow } from '../../src/query/requests/columns.ts';
import { bodiesStatements, pageStatements } from '../../src/query/requests/select.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeRunStatement, runUntilRows } from '../../src/store/read/run-statement.ts';
import type { QueryCall } from './questions.ts';
import { tenant } from './records.ts';

/** The requests of an answer, and the length of its text. */
export interface Answer {
  readonly ids: readonly string[];
  readonly characters: number;
}

/** The API's own request query, without HTTP. */
export interface Ours {
  readonly answer: (body: RequestQuery) => Promise<Answer>;
  readonly byId: (id: RequestId) => Promise<string | undefined>;
  /** The cursor after `row` rows of the newest. */
  readonly cursorAt: (row: number) => Promise<string>;
}

const memoryBytes = 2 ** 30;
const address = (row: RequestRow): string => `/v1/request/${row.id}/body`;

function answerOf(rows: readonly RequestRow[], bodies: readonly BodiesRow[]): Answer {
  return { ids: rows.map(({ id }) => id), characters: JSON.stringify({ data: requestItems(rows, bodies, address), error: null }).length };
}

/** Opens the API's side over a store. */
export function openOurs(connections: Connections): Ours {
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: memoryBytes });
  const itemsOf = async (rows: readonly RequestRow[]): Promise<Answer> => {
    return answerOf(rows, await runUntilRows<BodiesRow>(run, bodiesStatements(tenant, rows)));
  };
  return {
    answer: async (body) => itemsOf(await runUntilRows<RequestRow>(run, pageStatements(planOf(body)))),
    byId: async (id) => {
      const time = timeOfUuid(id) ?? 0;
      const [rows, bodies] = await Promise.all([
        runUntilRows<RequestRow>(run, requestStatements(tenant, id)),
        runUntilRows<BodiesRow>(run, bodiesStatements(tenant, [{ id, created_ms: time }])),
      ]);
      return answerOf(rows, bodies).ids[0];
    },
    cursorAt: async (row) => {
      const plan = planOf({ filter: {}, limit: 1, offset: row - 1 });
      const [last] = await runUntilRows<RequestRow & SortCells>(run, pageStatements(plan));
      const cursor = last === undefined ? undefined : cursorBehind(plan, last);
      if (cursor === undefined) throw new Error(`There is no row ${row}.`);
      return cursor;
    },
  };
}

function planOf(body: RequestQuery): RequestsPlan {
  const planned = unwrap(planRequests(tenant, body, requestDialect));
  if (planned.kind !== 'page') throw new Error(planned.hint);
  return planned.plan;
}

/** Tables made by hand for these questions alone: one text with everything that an item shows, small granules, no changes. */
export async function makeHandWrittenTables(connections: Connections): Promise<void> {
  const engine = 'ENGINE = MergeTree PARTITION BY toYYYYMM(created_at) ORDER BY (org_id, created_at, request_id)';
  const types = {
    requests:
      "org_id UInt128, created_at DateTime64(3, 'UTC'), request_id UInt128, properties Map(String, String), status UInt16, latency Nullable(UInt64), item String CODEC(ZSTD(1))",
    bodies:
      "org_id UInt128, created_at DateTime64(3, 'UTC'), request_id UInt128, request_kind LowCardinality(String), request_body String CODEC(ZSTD(1)), request_content_type LowCardinality(String), response_kind LowCardinality(String), response_body String CODEC(ZSTD(1)), response_content_type LowCardinality(String), INDEX words lowerUTF8(request_body) TYPE text(tokenizer = splitByNonAlpha)",
  };
  const copied = 'max_insert_threads = 1, max_threads = 1';
  for (const query of [
    `CREATE TABLE hand_requests (${types.requests}) ${engine} SETTINGS index_granularity = 1024`,
    `INSERT INTO hand_requests SELECT org_id, created_at, request_id, properties, status, latency, concat('[', toJSONString(map('session', session_id, 'name', session_name, 'path', session_path, 'cost', toString(cost), 'source', cost_source)), ',', display, ']') FROM requests SETTINGS ${copied}`,
    `CREATE TABLE hand_bodies (${types.bodies}) ${engine} SETTINGS index_granularity = 256`,
    `INSERT INTO hand_bodies SELECT org_id, created_at, request_id, request_kind, request_body, request_content_type, response_kind, response_body, response_content_type FROM bodies SETTINGS ${copied}`,
  ]) {
    await connections.run('control', (client) => client.command({ query }));
  }
}

const org = `toUInt128('${uuidToNumber(tenant)}')`;
const bodyColumns =
  'hex(request_id) AS id, request_kind, request_body, request_content_type, response_kind, response_body, response_content_type';

interface HandWrittenRow {
  readonly id: string;
  readonly created_ms: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly item: string;
}

function idOf({ id }: Pick<HandWrittenRow, 'id'>): RequestId {
  return uuidOfHex(id.toLowerCase().padStart(32, '0'));
}

/** TRICKY: the limits of the program's last query stay with the connection. */
const handSettings = { output_format_json_quote_64bit_integers: 0 as const, max_memory_usage: String(memoryBytes) };

/** The same answer by hand, from its own tables: the page, and its bodies by their keys, in the order of the rows. */
export async function handWrittenAnswer(connections: Connections, { body, handWritten }: QueryCall): Promise<Answer> {
  return connections.run('short', async (client) => {
    const rowsOf = async <Row>(query: string): Promise<readonly Row[]> =>
      (await client.query({ query, format: 'JSONEachRow', clickhouse_settings: handSettings })).json<Row>();
    const page = await rowsOf<HandWrittenRow>(
      `SELECT hex(request_id) AS id, toUnixTimestamp64Milli(created_at) AS created_ms, properties, item FROM hand_requests WHERE org_id = ${org} AND ${handWritten} ORDER BY created_at DESC, request_id DESC LIMIT ${body.limit}`,
    );
    if (page.length === 0) return { ids: [], characters: 0 };
    const keys = page.map((row) => `(fromUnixTimestamp64Milli(${row.created_ms}, 'UTC'), toUInt128('${uuidToNumber(idOf(row))}'))`);
    const bodies = await rowsOf<BodiesRow>(
      `SELECT ${bodyColumns} FROM hand_bodies WHERE org_id = ${org} AND (created_at, request_id) IN (${keys.join(', ')})`,
    );
    const byId = new Map(bodies.map((row) => [row.id, row]));
    const data = page.map(({ item, ...row }) => ({ ...row, item: JSON.parse(item) as unknown, ...byId.get(row.id) }));
    return { ids: page.map(idOf), characters: JSON.stringify({ data, error: null }).length };
  });
}
