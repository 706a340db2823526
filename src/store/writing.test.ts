import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRejection } from './failure.ts';
import { makeInsertRows } from './insert.ts';
import { migrateStore, migrations } from './migrate.ts';
import { openStoreRig, requestLine, type StoreRig } from './store-rig.ts';
import { rowColumns } from './tables/rows.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

const insert = (rows: string, token: string): Promise<void> => makeInsertRows(rig.connections)('requests', rows, token);
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
      await makeInsertRows(rig.connections, lane)('requests', requestLine().line, `of-${lane}`);
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

  test('whose cells at the end are missing has the defaults of their columns there', async () => {
    const { line, id } = requestLine({ threat: true, cached: true, scores: { quality: 1 }, response_body_cut: true });
    const cells = JSON.parse(line) as unknown[];
    await insert(
      JSON.stringify(cells.slice(0, Math.min(...['threat', 'cached', 'scores'].map((name) => rowColumns.requests.indexOf(name))))),
      'short',
    );
    const columns = 'threat, cached, scores, response_body_cut, cache_created_at';
    expect(await rig.run(`SELECT ${columns} FROM requests WHERE id_text = '${id}'`)).toEqual([
      { threat: null, cached: false, scores: {}, response_body_cut: false, cache_created_at: null },
    ]);
  });

  test('takes no token that would need escaping', async () => {
    for (const token of ["a'b", 'a\\', 'a b', '']) await expect(insert(requestLine().line, token)).rejects.toBeInstanceOf(TypeError);
  });

  test('of nothing does nothing', async () => {
    await expect(insert('', 'empty')).resolves.toBeUndefined();
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

  test('finishes a step that was cut in the middle', async () => {
    await rig.connections.run('insert', (client) => client.command({ query: 'TRUNCATE TABLE schema_migrations' }));
    const applied: string[] = [];
    await migrateStore(rig.connections, (name) => applied.push(name));
    expect(applied).toEqual(migrations.map(({ name }) => name));
  });

  test('of a newer program is refused, with a sentence that says so', async () => {
    await rig.connections.run('insert', (client) =>
      client.command({ query: "INSERT INTO schema_migrations (number, name) VALUES (99, 'later')" }),
    );
    await expect(migrateStore(rig.connections, () => undefined)).rejects.toThrow('Start the newer version');
    await rig.connections.run('insert', (client) => client.command({ query: 'DELETE FROM schema_migrations WHERE number = 99' }));
  });
});
