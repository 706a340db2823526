import { unwrap } from '../../src/contract/fault.ts';
import type { RequestQuery } from '../../src/contract/requests/query.ts';
import { type RequestId, uuidToNumber } from '../../src/model/ids.ts';
import { cursorBehind, type SortCells } from '../../src/query/requests/cursor.ts';
import { planRequests, requestDialect, type RequestsPlan } from '../../src/query/requests/query.ts';
import { requestStatements } from '../../src/query/request-detail/lookup.ts';
import { requestItems } from '../../src/query/requests/item.ts';
import { type BodiesRow, type RequestRow, requestRowColumns } from '../../src/query/requests/columns.ts';
import { bodiesStatements, pageStatements } from '../../src/query/requests/select.ts';
import type { Connections } from '../../src/store/engine/connections.ts';
import { makeRunStatement, runUntilRows } from '../../src/store/read/run-statement.ts';
import type { Asked } from './questions.ts';
import { tenant } from './records.ts';

/** Which requests an answer holds, and how long its text is. */
export interface Answer {
  readonly ids: readonly string[];
  readonly characters: number;
}

/** The request query as the API answers it, without HTTP. */
export interface Ours {
  readonly answer: (body: RequestQuery) => Promise<Answer>;
  readonly byId: (id: RequestId) => Promise<string | undefined>;
  /** The cursor behind so many rows of the newest. */
  readonly cursorAt: (row: number) => Promise<string>;
}

const memoryBytes = 2 ** 30;
const address = (row: RequestRow): string => `/v1/request/${row.id}/body`;

/** Opens our side over a store. */
export function openOurs(connections: Connections): Ours {
  const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: memoryBytes });
  const itemsOf = async (rows: readonly RequestRow[]): Promise<Answer> => {
    const bodies = await runUntilRows<BodiesRow>(run, bodiesStatements(tenant, rows));
    return { ids: rows.map(({ id }) => id), characters: JSON.stringify({ data: requestItems(rows, bodies, address), error: null }).length };
  };
  return {
    answer: async (body) => itemsOf(await runUntilRows<RequestRow>(run, pageStatements(planOf(body)))),
    byId: async (id) => (await itemsOf(await runUntilRows<RequestRow>(run, requestStatements(tenant, id)))).ids[0],
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

// The columns are plain text: no value of anybody is among them.
const columns = requestRowColumns.pieces.map(String).join('');
const org = `toUInt128('${uuidToNumber(tenant)}')`;
const bodyColumns =
  'UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, request_body, request_content_type, response_kind, response_body, response_content_type';

/** The same answer by hand: the page, its bodies by their keys, as the rows come. */
export async function handWrittenAnswer(connections: Connections, { body, handWritten }: Asked): Promise<Answer> {
  return connections.run('short', async (client) => {
    const rowsOf = async <Row>(query: string): Promise<readonly Row[]> =>
      (
        await client.query({ query, format: 'JSONEachRow', clickhouse_settings: { output_format_json_quote_64bit_integers: 0 } })
      ).json<Row>();
    const page = await rowsOf<RequestRow>(
      `SELECT ${columns} FROM requests WHERE org_id = ${org} AND ${handWritten} ORDER BY created_at DESC, request_id DESC LIMIT ${body.limit}`,
    );
    if (page.length === 0) return { ids: [], characters: 0 };
    const keys = page.map(
      ({ id, created_ms: ms }) => `(fromUnixTimestamp64Milli(${ms}, 'UTC'), toUInt128('${uuidToNumber(id as RequestId)}'))`,
    );
    const bodies = await rowsOf<BodiesRow>(
      `SELECT ${bodyColumns} FROM bodies WHERE org_id = ${org} AND (created_at, request_id) IN (${keys.join(', ')})`,
    );
    const byId = new Map(bodies.map((row) => [row.id, row]));
    const data = page.map((row) => ({ ...row, ...byId.get(row.id) }));
    return { ids: page.map(({ id }) => id), characters: JSON.stringify({ data, error: null }).length };
  });
}
