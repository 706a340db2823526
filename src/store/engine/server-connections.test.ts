import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidToNumber } from '../../model/ids.ts';
import type { CompiledSql, Statement } from '../../sql/statement.ts';
import { makeRunStatement } from '../read/run-statement.ts';
import { makeEmptyStore } from '../testing/empty-store.ts';
import { makeInsertLines, requestLine, tenant } from '../testing/store-harness.ts';
import { type Fault, type Front, startFront } from '../testing/store-location.ts';
import type { Connections } from './connections.ts';
import { openConnections } from './open-connections.ts';
import { runCommand, selectRows } from './statements.ts';

/** Settings with which a user's profile would break what our statements count on. */
const hostileProfile = {
  async_insert: '1',
  wait_for_async_insert: '0',
  join_use_nulls: '1',
  max_execution_time: '1',
  max_query_size: '1000',
  output_format_json_quote_64bit_integers: '1',
  session_timezone: 'Asia/Tokyo',
  insert_deduplicate: '0',
  deduplicate_insert: 'disable',
};

const parent = mkdtempSync(path.join(tmpdir(), 'gatelog-servers-'));
let front: Front;
let connections: Connections;

beforeAll(async () => {
  const folder = path.join(parent, 'store');
  await makeEmptyStore(folder);
  front = await startFront(folder, { profile: hostileProfile, replicas: 2 });
  connections = openConnections({ servers: { urls: front.urls, cluster: undefined } });
});
afterEach(async () => {
  for (const replica of [0, 1]) await front.setFaults([], replica);
});
afterAll(async () => {
  await connections.close();
  await front.close();
  rmSync(parent, { recursive: true });
});

const read = (text: string, params: Readonly<Record<string, unknown>> = {}) =>
  connections.run('short', (client) => selectRows<Record<string, unknown>>({ client, embedded: false }, { text, params }));
const count = async (): Promise<unknown> => (await read('SELECT toUInt32(count()) AS rows FROM requests'))[0]?.['rows'];
const insert = (line: string, token: string): Promise<void> => makeInsertLines(connections)('requests', line, token);
const everywhere = async (fault: Fault): Promise<void> => {
  for (const replica of [0, 1]) await front.setFaults([fault], replica);
};

describe('a read', () => {
  it('is exact whatever the profile of the user says', async () => {
    expect(await read("SELECT toUInt64(7) AS n, toString(toDateTime64('2026-01-31 12:00:00', 3, 'UTC')) AS at, NULL AS nothing")).toEqual([
      { n: 7, at: '2026-01-31 12:00:00.000', nothing: null },
    ]);
    expect(await read('SELECT sleep(1.5) AS zero')).toEqual([{ zero: 0 }]);
  });

  it.each([
    ['one address, which several replicas may share', 1, '1'],
    ['several addresses, one of which does all work', 2, '0'],
  ])('with %s', async (_name, addresses, value) => {
    const own = openConnections({ servers: { urls: front.urls.slice(0, addresses), cluster: undefined } });
    const setting = "SELECT value FROM system.settings WHERE name = 'select_sequential_consistency'";
    const rows = await own.run('short', (client) => selectRows({ client, embedded: false }, { text: setting, params: {} }));
    await own.close();
    expect(rows).toEqual([{ value }]);
  });

  it('takes parameters that are longer than an address may be', async () => {
    const ids = Array.from({ length: 50_000 }, (_none, index) => BigInt(index));
    expect(await read('SELECT toUInt32(length({ids:Array(UInt128)})) AS length', { ids })).toEqual([{ length: 50_000 }]);
  });

  it.each<readonly [string, Fault]>([
    ['is cut off', { kind: 'cut' }],
    ['ends with an exception of the server', { kind: 'late exception', code: 241, type: 'MEMORY_LIMIT_EXCEEDED' }],
  ])('whose answer %s fails, and gives out none of it', async (_what, fault) => {
    await everywhere({ ...fault, match: 'FROM numbers' });
    await expect(read('SELECT number, repeat(toString(number), 50) AS text FROM numbers(20000)')).rejects.toThrow(/./);
  });

  it('fails by the code that the server says', async () => {
    await everywhere({ kind: 'exception', code: 159, type: 'TIMEOUT_EXCEEDED' });
    const run = makeRunStatement(connections, { queryTimeoutMs: 5000, queryMemoryBytes: 1e9 });
    const statement = { text: 'SELECT 1', params: {}, tenant, lane: 'short' } as unknown as Statement;
    await expect(run(statement)).rejects.toMatchObject({ code: 'query_timeout' });
  });
});

describe('an insert', () => {
  it('is stored when it is answered, once for each token', async () => {
    const before = await count();
    const { line } = requestLine();
    await insert(line, 'servers-once');
    await insert(line, 'servers-once');
    expect(await count()).toBe(Number(before) + 1);
  });

  it('whose answer is lost fails, and is not doubled by the next try', async () => {
    const before = await count();
    const { line } = requestLine();
    await everywhere({ kind: 'lost answer', match: 'INSERT INTO requests' });
    await expect(insert(line, 'servers-lost')).rejects.toMatchObject({ code: 'store_unavailable' });
    await everywhere({ kind: 'slow', match: 'nothing' });
    await insert(line, 'servers-lost');
    expect(await count()).toBe(Number(before) + 1);
  });

  it.each([
    [242, 'TABLE_IS_READ_ONLY', 'store_unavailable'],
    [252, 'TOO_MANY_PARTS', 'store_unavailable'],
    [201, 'QUOTA_EXCEEDED', 'store_unavailable'],
  ])('that is refused with %i (%s) is tried again later', async (code, type, ours) => {
    await everywhere({ kind: 'exception', match: 'INSERT INTO', code, type });
    await expect(insert(requestLine().line, `servers-${code}`)).rejects.toMatchObject({ code: ours });
  });
});

it('a change takes parameters that are longer than an address may be', async () => {
  const { id, line } = requestLine();
  await insert(line, 'servers-changed');
  const text = 'ALTER TABLE requests UPDATE user_id = {user:String} WHERE request_id IN {ids:Array(UInt128)} SETTINGS mutations_sync = 1';
  const ids = [...Array.from({ length: 50_000 }, (_none, index) => BigInt(index)), uuidToNumber(id)];
  await connections.run('update', (client) =>
    runCommand({ client, embedded: false }, { text, params: { user: "it's\nme", ids } } as unknown as CompiledSql),
  );
  const found = await read('SELECT user_id FROM requests WHERE request_id = {id:UInt128}', { id: uuidToNumber(id).toString() });
  expect(found).toEqual([{ user_id: "it's\nme" }]);
});

describe('of two replicas', () => {
  /** Others have met faults before, after which a replica counts as away until it is looked for again. */
  let begun: Connections;
  beforeEach(() => {
    begun = openConnections({ servers: { urls: front.urls, cluster: undefined } });
  });
  afterEach(() => begun.close());
  const look = (text: string) =>
    begun.run('short', (client) => selectRows<Record<string, unknown>>({ client, embedded: false }, { text, params: {} }));

  it('the other one reads on when the first is away, and is the one from then on', async () => {
    expect(await look('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await front.setFaults([{ kind: 'away' }], 0);
    expect(await look('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await front.setFaults([], 0);
    await front.statements(0);
    expect(await look('SELECT 3 AS three')).toEqual([{ three: 3 }]);
    // Looks whether it is back are statements too.
    expect((await front.statements(0)).filter((text) => text.includes('three'))).toEqual([]);
  });

  it('one that is away at the first use is left as well', async () => {
    await front.setFaults([{ kind: 'away' }], 0);
    expect(await look('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('a write is not repeated by itself: the caller asks first', async () => {
    await everywhere({ kind: 'away', match: 'INSERT INTO', times: 1 });
    await expect(makeInsertLines(begun)('requests', requestLine().line, 'servers-away')).rejects.toMatchObject({
      code: 'store_unavailable',
    });
  });
});
