import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { insertLines } from '../insert/insert.ts';
import { makeRunStatement } from '../read/run-statement.ts';
import { type RecordTable, rowColumns } from '../insert/rows.ts';
import { makeEmptyStore } from './empty-store.ts';
import { openLocation } from './store-location.ts';

/** A real store for tests of this room: a process opens one embedded folder at a time. */
export interface StoreRig {
  readonly folder: string;
  readonly connections: Connections;
  readonly run: RunText;
  readonly close: () => Promise<void>;
}

/** Runs a query that a test wrote. */
export type RunText = <Row>(text: string, given?: RunTextOptions) => Promise<readonly Row[]>;

export interface RunTextOptions {
  readonly lane?: Statement['lane'];
  readonly decode?: NonNullable<Statement['decode']>;
  /** Milliseconds; absent: long enough. */
  readonly queryTimeoutMs?: number;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly queryMaxWaitMs?: number;
  readonly maxResultBytes?: number;
}

export const tenant = '00000000-0000-7000-8000-00000000000a' as OrganizationId;
export const memoryBytes = 256 * 1024 * 1024;

/** @param name of the store's folder. @param cacheBytes of the engine's caches. */
export async function openStoreRig(name = 'store', cacheBytes?: number): Promise<StoreRig> {
  const parent = mkdtempSync(path.join(tmpdir(), 'gatelog-store-'));
  const folder = path.join(parent, name);
  await makeEmptyStore(folder);
  const { location, close } = await openLocation(folder, cacheBytes === undefined ? {} : { cacheBytes });
  const connections = openConnections(location);
  return {
    folder,
    connections,
    run: (text, given = {}) => runText(connections, text, given),
    close: async () => {
      await connections.close();
      await close();
      rmSync(parent, { recursive: true });
    },
  };
}

function runText<Row>(connections: Connections, text: string, given: RunTextOptions): Promise<readonly Row[]> {
  const { queryTimeoutMs = 30_000, queryMaxWaitMs, maxResultBytes } = given;
  const waits = queryMaxWaitMs === undefined ? {} : { queryMaxWaitMs };
  const run = makeRunStatement(connections, { queryTimeoutMs, queryMemoryBytes: memoryBytes, ...waits });
  return run<Row>(statementOf(text, given), given.signal, maxResultBytes === undefined ? {} : { maxResultBytes });
}

/** A Statement comes from the query room alone, which is not asked here. */
function statementOf(text: string, { lane = 'short', params, decode }: RunTextOptions): Statement {
  const statement = {
    text,
    params: { tenant: uuidToNumber(tenant).toString(), ...params },
    tenant,
    lane,
    decode,
  };
  return statement as unknown as Statement;
}

/** When the rows of {@link requestLine} were made, Unix milliseconds. */
export const createdAt = 1_700_000_000_123;
let ids = 0;

/** A row of `requests` with a fresh identifier. */
export function requestLine(extra: Readonly<Record<string, unknown>> = {}): { readonly id: RequestId; readonly line: string } {
  ids += 1;
  const id = `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}` as RequestId;
  const key = { org_id: uuidToNumber(tenant).toString(), request_id: uuidToNumber(id).toString(), created_at: '1700000000.123' };
  return { id, line: lineOf('requests', { ...key, ...extra }) };
}

/** Inserts lines as {@link lineOf} writes them, which may hold what no record does. */
export function makeInsertLines(
  connections: Connections,
  lane: 'insert' | 'history' = 'insert',
): (table: RecordTable, lines: string, token: string) => Promise<void> {
  return (table, lines, token) => insertLines(connections, lane, { table, columns: rowColumns[table], lines, token });
}

/** A line of a table as the store takes it; a cell that is not given is the column's default. */
export function lineOf(table: RecordTable, cells: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(rowColumns[table].map((name) => cells[name] ?? null));
}

/** Texts that break what escapes carelessly. */
export const nastyTexts: readonly string[] = [
  "it's",
  'c:\\x\\',
  'a\nb\r',
  '\t',
  'x\0y',
  '\u0001\u001f\u007f',
  '日本😀é',
  '{ids:Array(UInt128)}',
  '',
  "'],['",
  '\\N',
  'NULL',
  '\b\f\v',
  '\\',
  "'",
  "''",
  "\\'",
  '`',
  "'; SET max_threads=1; SELECT '",
];
