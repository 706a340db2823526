import { type ClickHouseClient, type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { unwrap } from '../../src/contract/fault.ts';
import { type RequestId, timeOfUuid, uuidOfHex, uuidToNumber } from '../../src/model/ids.ts';
import { changeableColumns, displayColumns } from '../../src/model/record/columns.ts';
import { bodiesRowColumns, requestRowColumns } from '../../src/query/requests/columns.ts';
import { planRequests, requestDialect } from '../../src/query/requests/query.ts';
import { bodiesStatements, pageStatements, type RequestKey } from '../../src/query/requests/select.ts';
import type { Statement } from '../../src/sql/statement.ts';
import { boundQuery } from '../../src/store/engine/parameters.ts';
import { makeRandom, tenant } from './records.ts';
import { shownMs, timesOf } from './times.ts';

/** Breaks down the time of a page and of one request, suspect by suspect, on a separate connection. */

interface Probe {
  readonly name: string;
  /** Drawn again for every call. */
  readonly sql: () => string;
  /** False for parallel queries, for which the engine's own time is unknown. */
  readonly isLone?: false;
}

const org = `toUInt128('${uuidToNumber(tenant)}')`;
const newestFirst = 'ORDER BY created_at DESC, request_id DESC';
const textOf = (fragment: { readonly pieces: readonly unknown[] }): string => fragment.pieces.map(String).join('');
const pageColumns = textOf(requestRowColumns);
const bodyColumns = textOf(bodiesRowColumns);
const everyColumn = ['request_id', 'created_at', 'updated_at', ...changeableColumns, ...displayColumns].join(', ');

const granularities = [1024, 256];

/** Copies the tables with smaller granules. */
async function copyTables(client: ClickHouseClient): Promise<void> {
  for (const table of ['requests', 'bodies']) {
    for (const rows of granularities) {
      const engine = 'ENGINE = MergeTree PARTITION BY toYYYYMM(created_at) ORDER BY (org_id, created_at, request_id)';
      await client.command({ query: `CREATE TABLE ${table}_${rows} AS ${table} ${engine} SETTINGS index_granularity = ${rows}` });
      await client.command({
        query: `INSERT INTO ${table}_${rows} SELECT * FROM ${table} SETTINGS max_threads = 1, max_insert_threads = 1`,
      });
    }
  }
}

async function newestKeys(client: ClickHouseClient): Promise<readonly RequestKey[]> {
  const query = `SELECT hex(request_id) AS hex, toUnixTimestamp64Milli(created_at) AS created_ms FROM requests WHERE org_id = ${org} ${newestFirst} LIMIT 10`;
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ readonly hex: string; readonly created_ms: string }>();
  return rows.map(({ hex, created_ms: ms }) => ({ id: uuidOfHex(hex.toLowerCase().padStart(32, '0')), created_ms: ms }));
}

function keyText({ id, created_ms: ms }: RequestKey): string {
  return `(fromUnixTimestamp64Milli(${ms}, 'UTC'), toUInt128('${uuidToNumber(id as RequestId)}'))`;
}

function ofProgram(statement: Statement | undefined): () => string {
  if (statement === undefined) throw new Error('The program makes no statement.');
  const { query } = boundQuery(
    statement.text,
    { params: statement.params, settings: { max_threads: 1, max_result_bytes: '100000000' } },
    true,
  );
  return () => query;
}

function pageProbes(): readonly Probe[] {
  const planned = unwrap(planRequests(tenant, { filter: {}, limit: 10 }, requestDialect));
  if (planned.kind !== 'page') throw new Error(planned.hint);
  const page = (columns: string, table = 'requests', behind = ''): (() => string) => {
    const query = `SELECT ${columns} FROM ${table} WHERE org_id = ${org} ${newestFirst} LIMIT 10${behind}`;
    return () => query;
  };
  const pruned = `SELECT ${pageColumns} FROM requests WHERE org_id = ${org} AND created_at > now() + 31536000 ${newestFirst} LIMIT 10`;
  return [
    { name: 'newest 10: statement of the program', sql: ofProgram(pageStatements(planned.plan)[0]), isLone: false },
    { name: 'newest 10: its columns, without SET', sql: page(pageColumns) },
    { name: 'newest 10: its columns, no part left to read', sql: () => pruned },
    { name: 'newest 10: identifier alone', sql: page('request_id') },
    { name: 'newest 10: five columns', sql: page('request_id, created_at, model, status, cost') },
    { name: 'newest 10: every column by itself', sql: page(everyColumn) },
    { name: 'newest 10: one thread', sql: page(pageColumns, 'requests', ' SETTINGS max_threads = 1') },
    { name: 'newest 10: no skip indexes', sql: page(pageColumns, 'requests', ' SETTINGS use_skip_indexes = 0') },
    { name: 'newest 10: no patches', sql: page(pageColumns, 'requests', ' SETTINGS apply_patch_parts = 0') },
    ...granularities.map((rows) => ({ name: `newest 10: granules of ${rows}`, sql: page(pageColumns, `requests_${rows}`) })),
  ];
}

function idProbes(ids: readonly RequestId[]): readonly Probe[] {
  const random = makeRandom(19);
  const one =
    (columns: string, table: string): (() => string) =>
    () => {
      const id = ids[Math.floor(random() * ids.length)] as RequestId;
      const time = `fromUnixTimestamp64Milli(${timeOfUuid(id) ?? 0}, 'UTC')`;
      return `SELECT ${columns} FROM ${table} WHERE org_id = ${org} AND created_at = ${time} AND request_id = toUInt128('${uuidToNumber(id)}')`;
    };
  return ['', ...granularities.map((rows) => `_${rows}`)].flatMap((suffix) => [
    { name: `one request, requests${suffix}`, sql: one(pageColumns, `requests${suffix}`) },
    { name: `one request, bodies${suffix}`, sql: one(bodyColumns, `bodies${suffix}`) },
  ]);
}

function bodiesProbes(keys: readonly RequestKey[]): readonly Probe[] {
  const tuples = keys.map(keyText).join(', ');
  const of = (table: string): (() => string) => {
    const query = `SELECT ${bodyColumns} FROM ${table} WHERE org_id = ${org} AND (created_at, request_id) IN (${tuples})`;
    return () => query;
  };
  return [
    { name: 'bodies of 10: statement of the program', sql: ofProgram(bodiesStatements(tenant, keys)[0]), isLone: false },
    { name: 'bodies of 10: keys as literals', sql: of('bodies') },
    ...granularities.map((rows) => ({ name: `bodies of 10: granules of ${rows}`, sql: of(`bodies_${rows}`) })),
  ];
}

/** @returns a table of the probes: wall time of the client, and the engine's own time. */
export async function probe(folder: string, ids: readonly RequestId[], calls: number): Promise<string[]> {
  const connection = createChdbConnection({ path: folder });
  const client = createClient({ connection } as unknown as ClickHouseClientConfigOptions);
  try {
    await copyTables(client);
    const keys = await newestKeys(client);
    const probes: readonly Probe[] = [
      { name: 'SELECT 1', sql: () => 'SELECT 1' },
      ...pageProbes(),
      ...bodiesProbes(keys),
      ...idProbes(ids),
    ];
    const samples = probes.map(() => ({ wall: [] as number[], engine: [] as number[] }));
    for (let call = -3; call < calls; call += 1) {
      for (const [index, { sql, isLone = true }] of probes.entries()) {
        const start = performance.now();
        await (await client.query({ query: sql(), format: 'JSONEachRow' })).json();
        const ms = performance.now() - start;
        const engineMs = isLone ? await engineTime(client, sql()) : Number.NaN;
        if (call < 0) continue;
        samples[index]?.wall.push(ms);
        samples[index]?.engine.push(engineMs);
      }
    }
    return [
      '| probe | wall p50 ms | wall p95 ms | engine p50 ms |',
      '| --- | ---: | ---: | ---: |',
      ...probes.map(({ name, isLone = true }, index) => {
        const [wall, engine] = [timesOf(samples[index]?.wall ?? []), timesOf(samples[index]?.engine ?? [])];
        return `| ${name} | ${shownMs(wall.p50)} | ${shownMs(wall.p95)} | ${isLone ? shownMs(engine.p50) : '–'} |`;
      }),
      '',
    ];
  } finally {
    await client.close();
  }
}

async function engineTime(client: ClickHouseClient, query: string): Promise<number> {
  const { statistics } = await (await client.query({ query, format: 'JSON' })).json();
  return (statistics?.elapsed ?? Number.NaN) * 1000;
}
