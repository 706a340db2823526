import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import { type Command, deleteRows, insertRows, updateRows } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { param, type Query, sql } from '../../sql/sql.ts';
import { compileFor, compileForAll } from '../../sql/statement.ts';
import { requests, type Rows, tenantRows } from '../../sql/tables.ts';
import { engineCodeOf } from '../engine/failure.ts';
import type { QuerySettings } from '../engine/parameters.ts';
import { runCommand, selectRows } from '../engine/statements.ts';
import { insertLines } from '../insert/insert.ts';
import type { Check, CheckScene } from './check.ts';

/** The oldest version with every feature that the store uses: lightweight updates on replicated tables, indexes of words, the tag of late exceptions. */
const oldest = [26, 3] as const;
const keyColumns = ['org_id', 'request_id', 'created_at'];
const createdAt = '1700000000.123';
const timeoutCode = '159';

interface Row {
  readonly value: string | number;
}

/** In their order: later ones count on what earlier ones have shown. */
export const checks: readonly Check[] = [
  {
    name: `the version is ${oldest.join('.')} or newer`,
    remedy: 'Update ClickHouse.',
    run: async (scene) => {
      const query = 'SELECT version() AS value';
      const [row] = await scene.connections.run('short', async (client) =>
        (await client.query({ query, format: 'JSONEachRow' })).json<Row>(),
      );
      const version = String(row?.value);
      const [major = 0, minor = 0] = version.split('.').map(Number);
      expect(major > oldest[0] || (major === oldest[0] && minor >= oldest[1]), `It is ${version}.`);
    },
  },
  {
    name: 'what was inserted is read at once',
    remedy: 'Let the setting async_insert of the user be changeable, and name replicas one by one instead of a balancer that mixes them.',
    run: async (scene) => {
      for (let id = 1; id <= 20; id += 1) {
        await insert(scene, id, `visible-${id}`);
        const found = await countOf(scene, id);
        expect(found === 1, `Of insert ${id} ${found} rows were read.`);
      }
    },
  },
  {
    name: 'an insert that is repeated with its token adds nothing',
    remedy: 'Let the settings insert_deduplicate and insert_deduplication_token be used; the tables need their deduplication window.',
    run: async (scene) => {
      for (let time = 0; time < 3; time += 1) await insert(scene, 100, 'repeated');
      const found = await countOf(scene, 100);
      expect(found === 1, `Three times the same insert left ${found} rows.`);
    },
  },
  {
    name: 'an insert that is cut off leaves nothing',
    remedy: 'Look at what is between Gatelog and ClickHouse: it must not complete a request that its sender has broken off.',
    run: async (scene) => {
      await cutInsert(scene);
      await wait(500);
      const found = await countOf(scene, 200);
      expect(found === 0, `It left ${found} rows.`);
    },
  },
  {
    name: 'a change is read at once',
    remedy: 'The store changes rows by UPDATE, which needs enable_lightweight_update and tables with block numbers.',
    run: async (scene) => {
      await command(scene, updateRows(rowOf(1), [sql`user_id = 'changed'`]));
      const [row] = await read(scene, select({ columns: sql`user_id AS value`, from: rowOf(1) }));
      expect(row?.value === 'changed', `The row had "${row?.value}".`);
    },
  },
  {
    name: 'a removed row is gone at once',
    remedy: 'The store removes rows by DELETE FROM, which needs enable_lightweight_delete.',
    run: async (scene) => {
      await command(scene, deleteRows(rowOf(2), { by: 'hiding', settings: { lightweight_deletes_sync: 2 } }));
      const found = await countOf(scene, 2);
      expect(found === 0, `${found} rows were read.`);
    },
  },
  {
    name: 'words of bodies are found',
    remedy: 'The store searches by indexes of type text.',
    run: async (scene) => {
      const { connections, organizationId } = scene;
      const lines = JSON.stringify([numberOf(organizationId), '300', createdAt, 'Why is the sky blue?']);
      const columns = ['org_id', 'request_id', 'created_at', 'response_body'];
      await insertLines(connections, 'insert', { table: 'bodies', columns, lines, token: 'words' });
      const from = tenantRows('bodies', sql`lowerUTF8(concat(response_body, ' ')) LIKE '%sky%'`);
      const [row] = await read(scene, select({ columns: sql`count() AS value`, from }), {
        force_data_skipping_indices: 'packed_response_words',
      });
      const found = Number(row?.value);
      expect(found === 1, `${found} were found.`);
    },
  },
  {
    name: 'a query ends at its time limit',
    remedy: 'Let the setting max_execution_time be changed by the user.',
    run: async (scene) => {
      const startedAt = performance.now();
      const query = 'SELECT count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number))';
      const slow = scene.connections.run('short', async (client) =>
        (await client.query({ query, format: 'JSONEachRow', clickhouse_settings: { max_execution_time: 1 } })).json(),
      );
      const code = await slow.then(
        () => undefined,
        (error: unknown) => engineCodeOf(error),
      );
      const seconds = (performance.now() - startedAt) / 1000;
      expect(code === timeoutCode && seconds < 10, `It ended with ${code ?? 'an answer'} after ${seconds.toFixed(1)} s.`);
    },
  },
  {
    name: 'an answer that fails in its midst is known to have failed',
    remedy:
      'Look at what is between Gatelog and ClickHouse: it must pass an end of the connection, and the end of a response, on as they are.',
    run: async (scene) => {
      const failing = scene.connections.run('short', async (client) => {
        const query = "SELECT number, throwIf(number = 3000000, 'planted') FROM numbers(6000000)";
        const settings = { wait_end_of_query: 0, max_block_size: '65409', max_threads: 1 } as const;
        const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: settings });
        for await (const rows of result.stream()) void rows;
      });
      const hasFailed = await failing.then(
        () => false,
        () => true,
      );
      expect(hasFailed, 'It looked like a whole answer.');
    },
  },
];

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

function rowOf(id: number): Rows {
  return requests(sql`request_id = ${param(BigInt(id), 'UInt128')}`);
}

function read({ connections, organizationId }: CheckScene, query: Query, settings: QuerySettings = {}): Promise<readonly Row[]> {
  return connections.run('short', (client) => selectRows<Row>({ client, embedded: false }, compileFor(organizationId, query), settings));
}

/** Rows of a request. */
async function countOf(scene: CheckScene, id: number): Promise<number> {
  const [row] = await read(scene, select({ columns: sql`toUInt32(count()) AS value`, from: rowOf(id) }));
  return Number(row?.value);
}

function command({ connections, organizationId }: CheckScene, statement: Command): Promise<void> {
  return connections.run('update', (client) => runCommand({ client, embedded: false }, compileFor(organizationId, statement)));
}

function insert({ connections, organizationId }: CheckScene, id: number, token: string): Promise<void> {
  const lines = JSON.stringify([numberOf(organizationId), String(id), createdAt]);
  return insertLines(connections, 'insert', { table: 'requests', columns: keyColumns, lines, token });
}

function numberOf(organizationId: OrganizationId): string {
  return uuidToNumber(organizationId).toString();
}

/** Begins an insert of two rows, and ends the connection after the first one. */
async function cutInsert({ url: address, organizationId }: CheckScene): Promise<void> {
  const url = new URL(address);
  const [database = ''] = url.pathname.split('/').slice(1);
  url.search = new URLSearchParams({
    database,
    query: compileForAll(insertRows({ table: 'requests', columns: keyColumns, settings: {} }, { format: 'JSONCompactEachRow' })).text,
    async_insert: '0',
  }).toString();
  url.pathname = '/';
  const line = `${JSON.stringify([numberOf(organizationId), '200', createdAt])}\n`;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  await new Promise<void>((resolve) => {
    const request = send(url, { method: 'POST', headers: { 'content-length': String(2 * line.length) } });
    request.once('error', () => resolve());
    request.once('close', () => resolve());
    request.write(line, () => setTimeout(() => request.destroy(), 200));
  });
}
