import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheSizes } from './embedded-engine.ts';
import { boundQuery } from './parameters.ts';
import { openStoreRig, type StoreRig } from '../testing/store-harness.ts';

const cacheBytes = 150 * 1024 * 1024;
let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig('store', cacheBytes);
});
afterAll(async () => rig.close());

type Params = Readonly<Record<string, string>>;

/** Runs a query in a lane that has one connection. */
async function query(text: string, params: Params): Promise<unknown> {
  const bound = boundQuery(text, { params, settings: { max_query_size: String(64 * 1024 * 1024) } }, true);
  return rig.connections.run('update', async (client) => (await client.query({ ...bound, format: 'JSONEachRow' })).json());
}

/** Values that are set in the connection and were not sent with the query. */
async function left(names: readonly string[]): Promise<readonly string[]> {
  const found = names.map(async (name) => {
    const read = rig.connections.run('update', async (client) =>
      (await client.query({ query: `SELECT {${name}:String} AS value`, format: 'JSONEachRow' })).json<{ readonly value: string }>(),
    );
    return read.then(
      ([row]) => row?.value ?? '',
      (error: unknown) => {
        expect(String(error)).toContain(`Substitution \`${name}\` is not set`);
        return '';
      },
    );
  });
  return (await Promise.all(found)).filter((value) => value !== '');
}

/** Parameters of one query; the numbers of their names begin with `first`. */
function paramsOf(first: number, count: number, characters: number): Params {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${first + index}`, 'v'.repeat(characters)]));
}

test('large values of a query are not left in its connection', async () => {
  const params = paramsOf(0, 8, 16 * 1024);
  expect(await query('SELECT length({p7:String}) AS length', params)).toEqual([{ length: 16 * 1024 }]);
  expect(await left(Object.keys(params))).toEqual([]);
});

test('nor are those of a query that failed', async () => {
  const params = paramsOf(0, 8, 16 * 1024);
  await expect(query('SELECT no_such_column', params)).rejects.toThrow('no_such_column');
  expect(await left(Object.keys(params))).toEqual([]);
});

test('what many queries leave behind together stays within some tens of kilobytes', async () => {
  const sent = Array.from({ length: 40 }, (_, index) => paramsOf(index * 4, 4, 4 * 1024));
  for (const params of sent) await query('SELECT 1', params);
  const kept = await left(sent.flatMap((params) => Object.keys(params)));
  expect(kept.reduce((sum, value) => sum + value.length, 0)).toBeLessThan(72 * 1024);
});

test('queries go on in every lane while connections are renewed', async () => {
  const params = paramsOf(0, 8, 16 * 1024);
  const lanes = ['update', 'short', 'long', 'short', 'long', 'history'] as const;
  const sums = await Promise.all(
    lanes.flatMap((lane) =>
      Array.from({ length: 20 }, async () => {
        const bound = boundQuery('SELECT length({p7:String}) AS length', { params }, true);
        return rig.connections.run(lane, async (client) => (await client.query({ ...bound, format: 'JSONEachRow' })).json());
      }),
    ),
  );
  expect(new Set(sums.map((rows) => JSON.stringify(rows)))).toEqual(new Set([JSON.stringify([{ length: 16 * 1024 }])]));
});

test("the engine's caches are bounded", async () => {
  const names = Object.keys(cacheSizes());
  const rows = (await query(
    `SELECT name, value FROM system.server_settings WHERE name IN (${names.map((name) => `'${name}'`).join(', ')})`,
    {
      unused: '',
    },
  )) as readonly { readonly name: string; readonly value: string }[];
  expect(Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]))).toEqual(cacheSizes(cacheBytes));
});
