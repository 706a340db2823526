import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { empty } from '../../query/testing/query-harness.ts';
import { isRejection } from '../engine/failure.ts';
import { makeInsertRows } from './insert.ts';
import { migrateStore, migrations } from '../schema/migrate.ts';
import { RowFiles } from '../engine/row-files.ts';
import { makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../testing/store-harness.ts';
import { rowsOf, rowStructures } from './rows.ts';
import { ofFiles } from '../testing/of-files.ts';

let rig: StoreRig;
beforeAll(async () => {
  // Rows go through a file beneath it.
  rig = await openStoreRig("org=it's a \\folder [1] %41 ß");
});
afterAll(async () => rig.close());

const insert = (lines: string, token: string): Promise<void> => makeInsertLines(rig.connections)('requests', lines, token);
const count = async (): Promise<number> => Number((await rig.run<{ c: number }>('SELECT count() AS c FROM requests'))[0]?.c);

describe('an insert', () => {
  test('takes any text: quotes, backslashes, line ends, semicolons, control characters, emoji', async () => {
    const text = 'a;b\'c"d\\e\n\r\tf; DROP TABLE requests; -- {x:String} \0\u0001\u007f é 日本 😀';
    const rows = [requestLine({ path: text, properties: { [text]: text, __proto__: 'x' } }), requestLine({ path: ';' })];
    await insert(rows.map(({ line }) => line).join('\n'), 'nasty');
    const found = await rig.run<{ path: string; properties: object }>(
      `SELECT path, properties FROM requests WHERE id_text = '${rows[0]?.id}'`,
    );
    expect(found).toEqual([{ path: text, properties: { [text]: text } }]);
  });

  test('with a token that was seen adds nothing, whatever it holds; over two months too', async () => {
    const before = await count();
    await insert([requestLine().line, requestLine({ created_at: '1710000000.000' }).line].join('\n'), 'twice');
    await insert([requestLine().line, requestLine({ created_at: '1710000000.000' }).line, requestLine().line].join('\n'), 'twice');
    expect(await count()).toBe(before + 2);
  });

  test('the same rows with another token are other rows', async () => {
    const before = await count();
    const { line } = requestLine();
    await insert(line, 'one');
    await insert(line, 'two');
    expect(await count()).toBe(before + 2);
  });

  test.each(['insert', 'history'] as const)(
    'leaves no setting behind on its connection: the next one of the lane %s has no token',
    async (lane) => {
      const changed = (): Promise<unknown> =>
        rig.connections.run(lane, async (client) =>
          (await client.query({ query: 'SELECT name FROM system.settings WHERE changed ORDER BY name', format: 'JSONEachRow' })).json(),
        );
      const before = await changed();
      await makeInsertLines(rig.connections, lane)('requests', requestLine().line, `line-of-${lane}`);
      expect(await changed()).toEqual(before);
      await makeInsertRows(rig.connections, lane)('requests', [row()], `row-of-${lane}`);
      expect(await changed()).toEqual(before);
    },
  );

  test.each([
    ['a text for a number', { status: 'x' }],
    ['a negative count', { prompt_tokens: -1 }],
    ['a fraction for a count', { latency: 1.5 }],
    ['no time', { created_at: 'NaN.NaN' }],
  ])('with %s is refused as a whole, and its token stays free', async (fault, extra) => {
    const before = await count();
    const error = await insert([requestLine().line, requestLine(extra).line].join('\n'), `refused-${fault.replaceAll(' ', '-')}`).catch(
      (thrown: unknown) => thrown,
    );
    expect(isRejection(error)).toBe(true);
    expect(await count()).toBe(before);
  });

  test('takes no token that would need escaping', async () => {
    for (const token of ["a'b", 'a\\', 'a b', '']) await expect(insert(requestLine().line, token)).rejects.toBeInstanceOf(TypeError);
  });

  test('of nothing does nothing', async () => {
    await expect(insert('', 'empty')).resolves.toBeUndefined();
  });
});

let made = 0;
function row(given: Partial<RequestRecord> = {}): Uint8Array {
  made += 1;
  const requestId = `00000000-0000-4000-9000-${String(made).padStart(12, '0')}` as RequestId;
  return rowsOf({ ...empty, organizationId: tenant, requestId, createdAt: 1_700_000_000_000, ...given }, 0).request;
}

/** Files through which rows are on their way. */
const waiting = (): readonly string[] => readdirSync(path.join(rig.folder, 'incoming'));
const insertRows = (rows: readonly Uint8Array[], token: string): Promise<void> => makeInsertRows(rig.connections)('requests', rows, token);

describe('an insert of rows as bytes', () => {
  test('with a token that was seen adds nothing, whatever it holds; over two months too', async () => {
    const before = await count();
    await insertRows([row(), row({ createdAt: 1_710_000_000_000 })], 'rows-twice');
    await insertRows([row(), row({ createdAt: 1_710_000_000_000 }), row()], 'rows-twice');
    expect(await count()).toBe(before + 2);
    await insertRows([row()], 'rows-other');
    expect(await count()).toBe(before + 3);
  });

  test('is one part however much it is, so that its token stands for all of it', async () => {
    const one = row({ createdAt: 1_600_000_000_000, userId: 'u'.repeat(200) });
    const rows = [Buffer.concat(Array.from({ length: 150_000 }, () => one))];
    await insertRows(rows, 'rows-many');
    await insertRows(rows, 'rows-many');
    expect(
      await rig.run(
        "SELECT toUInt32(sum(rows)) AS rows, min(level) AS level, count() AS parts FROM system.parts WHERE active AND table = 'requests' AND partition = '202009'",
      ),
    ).toEqual([{ rows: 150_000, level: 0, parts: 1 }]);
  });

  test.each([
    ['that end too early', Buffer.from([1, 2, 3])],
    [
      'with a text that is longer than all',
      Buffer.concat([row().subarray(0, 48), Buffer.from([1]), Buffer.alloc(8, 0xff), Buffer.from([1])]),
    ],
  ])('%s is refused as a whole, and its token stays free', async (fault, bytes) => {
    const before = await count();
    const token = `rows-${fault.replaceAll(' ', '-')}`;
    const error = await insertRows([row(), bytes], token).catch((thrown: unknown) => thrown);
    expect(isRejection(error)).toBe(true);
    expect(await count()).toBe(before);
    await insertRows([row()], token);
    expect(await count()).toBe(before + 1);
  });

  test('leaves no file behind, and takes away at its start what a crash has left', async () => {
    await insertRows([row()], 'rows-of-a-file');
    expect(waiting()).toEqual([]);
    const other = mkdtempSync(path.join(tmpdir(), 'gatelog-rows-'));
    writeFileSync(path.join(other, '1.rows'), 'left');
    const files = new RowFiles(other);
    expect(readdirSync(other)).toEqual([]);
    const seen = await files.with([Buffer.from('a'), Buffer.from('b')], async (file) => {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      return readFileSync(file, 'utf8');
    });
    expect([seen, readdirSync(other)]).toEqual(['ab', []]);
    await expect(files.with([], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(other)).toEqual([]);
    rmSync(other, { recursive: true });
  });

  ofFiles(() => {
    test('needs room on the disk for its file as well', async () => {
      const connections = { ...rig.connections, hasFreeSpace: (bytes = 0) => bytes < 1000 };
      const insertInto = makeInsertRows(connections);
      await insertInto('requests', [row()], 'rows-with-room');
      await expect(insertInto('requests', [row({ userId: 'u'.repeat(1000) })], 'rows-without-room')).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      expect(waiting()).toEqual([]);
    });
  });

  test('of nothing does nothing', async () => {
    await expect(insertRows([], 'rows-empty')).resolves.toBeUndefined();
  });
});

test('rows have the types of the tables, as a server reads them by those', async () => {
  for (const [table, structure] of Object.entries(rowStructures)) {
    const columns = await rig.run<{ name: string; type: string }>(
      `SELECT name, replaceRegexpAll(type, 'LowCardinality\\((\\w+)\\)', '\\1') AS type FROM system.columns WHERE database = currentDatabase() AND table = '${table}' AND (default_kind = '' OR name IN ('body_group', 'new_spans', 'failure_kind', 'streamed', 'time_to_first_byte'))`,
    );
    const [ours, theirs] = [structure.split(/, (?=\w+ [A-Z])/), columns.map(({ name, type }) => `${name} ${type}`)];
    expect([table, ...ours.toSorted()]).toEqual([table, ...theirs.toSorted()]);
  }
});

describe('the folder of a store', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'gatelog-rows-'));
  afterAll(() => rmSync(parent, { recursive: true }));

  test.each(['a{b}', 'a*', 'what?', 'a::b'])('%s is refused, as the engine would read nothing there', (name) => {
    expect(() => new RowFiles(path.join(parent, name))).toThrow('Choose another folder (GATELOG_DATA_DIR)');
  });
});

describe('the schema', () => {
  test('comes up to date once, and again without a change', async () => {
    const applied: string[] = [];
    await migrateStore(rig.connections, (name) => applied.push(name));
    expect(applied).toEqual([]);
    expect(await rig.run('SELECT number, name FROM schema_migrations ORDER BY number')).toEqual(
      migrations.map(({ number, name }) => ({ number, name })),
    );
  });

  ofFiles(() => {
    test('finishes a step that was cut in the middle', async () => {
      const last = migrations.at(-1);
      await rig.connections.run('insert', (client) =>
        client.command({ query: `DELETE FROM schema_migrations WHERE number = ${last?.number}` }),
      );
      const applied: string[] = [];
      await migrateStore(rig.connections, (name) => applied.push(name));
      expect(applied).toEqual([last?.name]);
    });
  });

  test('of a newer program is refused, with a sentence that says so', async () => {
    await rig.connections.run('insert', (client) =>
      client.command({ query: "INSERT INTO schema_migrations (number, name) VALUES (99, 'later')" }),
    );
    await expect(migrateStore(rig.connections, () => undefined)).rejects.toThrow('Start the newer version');
    await rig.connections.run('insert', (client) => client.command({ query: 'DELETE FROM schema_migrations WHERE number = 99' }));
  });
});
