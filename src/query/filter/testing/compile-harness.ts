import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { createClient, type ClickHouseClientConfigOptions } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { afterAll, beforeAll } from 'vitest';
import { type OrganizationId, uuidToNumber, type Uuid } from '../../../model/ids.ts';
import { select } from '../../../sql/query.ts';
import { sql } from '../../../sql/sql.ts';
import { type Statement, statementFor } from '../../../sql/statement.ts';
import { requests } from '../../../sql/tables.ts';
import { migrations } from '../../../store/schema/migrate.ts';
import { legacyDialect } from '../../requests/query.ts';
import { compileFilter } from '../sql/compile.ts';
import { parseFilter } from '../parse.ts';

/** Four records in a real engine, twice: for an organisation and for another one that must never be seen. */

const folder = mkdtempSync(joinPath(tmpdir(), 'filter-'));
// chdb declares its connection against its own copy of the client's types.
export const client = createClient({ connection: createChdbConnection({ path: folder }) } as unknown as ClickHouseClientConfigOptions);

export const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;
export const otherTenant = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;
export const idOf = (n: number): string => `0197b000-0000-7000-8000-0000000000${n.toString(16).padStart(2, '0')}`;
export const nasty = `Ünï "q" 's' \\ % _ \t\n\0 {p0:String} end`;

interface Row {
  readonly name: string;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly bodies?: Readonly<Record<string, unknown>>;
}

/** `full` has everything, `absent` nothing; `binary` and `text` differ in what their bodies are. */
export const rows = JSON.parse(readFileSync(new URL('../__fixtures__/records.json', import.meta.url), 'utf8')) as readonly Row[];

async function insert(table: string, values: readonly Record<string, unknown>[]): Promise<void> {
  await client.insert({ table, values, format: 'JSONEachRow' });
}

beforeAll(async () => {
  for (const { statements } of migrations) for (const query of statements) await client.command({ query });
  // The store sends these with every query; in the embedded engine they stay with the connection.
  await client.command({
    query:
      'SET max_parser_depth = 4000, optimize_or_like_chain = 0, max_ast_elements = 2000000, max_expanded_ast_elements = 2000000, max_query_size = 16777216',
  });
  const keyed = [tenant, otherTenant].flatMap((owner) =>
    rows.map(({ columns, bodies }, index) => {
      const key = {
        org_id: String(uuidToNumber(owner)),
        request_id: String(uuidToNumber(idOf(index + 1) as Uuid)),
        created_at: columns['created_at'],
      };
      return { request: { ...columns, ...key }, bodies: bodies === undefined ? [] : [{ ...bodies, ...key }] };
    }),
  );
  await insert(
    'requests',
    keyed.map(({ request }) => request),
  );
  await insert(
    'bodies',
    keyed.flatMap(({ bodies }) => bodies),
  );
});

afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

export function statementOf(filter: unknown): Statement {
  const parsed = parseFilter(filter, legacyDialect);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const from = requests(compileFilter(parsed.value.filter));
  return statementFor(tenant, select({ columns: sql`id_text`, from, orderBy: sql`created_at` }), 'short');
}

export async function namesFor(filter: unknown): Promise<string> {
  const { text, params } = statementOf(filter);
  const answer = await client.query({ query: text, query_params: { ...params }, format: 'JSONEachRow' });
  const found = await answer.json<{ id_text: string }>();
  return found.map(({ id_text: id }) => rows.find((_, index) => idOf(index + 1) === id)?.name ?? id).join(' ');
}

export const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
export const property = (name: string, operators: unknown): unknown => rmt('properties', { [name]: operators });
export const and = (left: unknown, right: unknown): unknown => ({ left, operator: 'and', right });
export const or = (left: unknown, right: unknown): unknown => ({ left, operator: 'or', right });
export const everyRow = 'full absent binary text';
