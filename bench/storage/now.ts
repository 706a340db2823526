import { unwrap } from '../../src/contract/fault.ts';
import type { RequestQuery } from '../../src/contract/requests/query.ts';
import { EarlierTexts } from '../../src/ingest/batch/earlier-texts.ts';
import { conversationOf } from '../../src/ingest/worker/record-builder.ts';
import { timeOfUuid } from '../../src/model/ids.ts';
import type { BodiesRow, RequestRow } from '../../src/query/requests/columns.ts';
import { planRequests, requestDialect } from '../../src/query/requests/query.ts';
import { bodiesStatements, pageStatements, type RequestKey } from '../../src/query/requests/select.ts';
import { makeInsertRows } from '../../src/store/insert/insert.ts';
import { newRowWriters, rowsOf } from '../../src/store/insert/rows.ts';
import { makeRunStatement, runUntilRows } from '../../src/store/read/run-statement.ts';
import { migrateStore } from '../../src/store/schema/migrate.ts';
import { tenant } from '../query/records.ts';
import { newestRows, type OpenSide, type Question, searchRows, sessionRows, type Side } from './side.ts';

/** The program's own store. */
export const now: Side = {
  name: 'now',
  open: async (connections): Promise<OpenSide> => {
    await migrateStore(connections, () => undefined);
    const insert = makeInsertRows(connections);
    const texts = new EarlierTexts(() => connections.bodies.removals);
    const run = makeRunStatement(connections, { queryTimeoutMs: 60_000, queryMemoryBytes: 2 ** 32 });
    const readBodies = (keys: readonly RequestKey[]): Promise<readonly BodiesRow[]> => runUntilRows(run, bodiesStatements(tenant, keys));
    return {
      insert: async (records, token) => {
        const writers = newRowWriters();
        const rows = records.map((record) => ({
          ...rowsOf(record, record.createdAt, { writers }),
          endedAt: null,
          conversation: conversationOf(record),
        }));
        const marked = texts.mark(rows.map((written, index) => ({ index, rows: written })));
        await insert(
          'bodies',
          rows.map(({ bodies }) => bodies),
          `${token}-bodies`,
        );
        marked.keep(new Map());
        await insert(
          'requests',
          rows.map(({ request }) => request),
          `${token}-requests`,
        );
      },
      ask: async (question) => {
        const planned = unwrap(planRequests(tenant, queryOf(question), requestDialect));
        if (planned.kind !== 'page') throw new Error(planned.hint);
        const readRows = (): Promise<readonly RequestRow[]> => runUntilRows(run, pageStatements(planned.plan));
        // The API starts both reads at once where the identifier gives the key.
        const early = question.kind === 'id' ? readBodies([{ id: question.id, created_ms: timeOfUuid(question.id) ?? 0 }]) : undefined;
        const [rows, found] = await Promise.all([readRows(), early]);
        const bodies = found ?? (await readBodies(rows));
        return { ids: rows.map(({ id }) => id), characters: JSON.stringify({ rows, bodies }).length };
      },
    };
  },
};

/** The body of the API's request query. */
function queryOf(question: Question): RequestQuery {
  switch (question.kind) {
    case 'newest':
      return { filter: {}, limit: newestRows };
    case 'id':
      return { filter: { request_response_rmt: { request_id: { equals: question.id } } }, limit: 1 };
    case 'search':
      return { filter: { request_response_rmt: { request_body: { contains: question.words } } }, limit: searchRows };
    case 'session':
      return {
        filter: { sessions_request_response_rmt: { session_session_id: { equals: question.sessionId } } },
        limit: sessionRows,
      };
  }
}
