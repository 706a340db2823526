import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import { openServerClient } from '../engine/server-client.ts';
import { makeEmptyStore } from '../testing/empty-store.ts';
import { type Fault, type Front, startFront } from '../testing/store-location.ts';
import type { CheckResult } from './check.ts';
import { checkServers } from './check-servers.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'gatelog-conformance-'));
let front: Front;
let servers: ClickHouseServers;

beforeAll(async () => {
  const folder = path.join(parent, 'store');
  await makeEmptyStore(folder);
  front = await startFront(folder);
  servers = { urls: front.urls, database: 'default', cluster: undefined };
});
afterEach(() => front.setFaults([]));
afterAll(async () => {
  await front.close();
  rmSync(parent, { recursive: true });
});

async function check(...faults: readonly Fault[]): Promise<readonly CheckResult[]> {
  await front.setFaults(faults);
  const results: CheckResult[] = [];
  for await (const result of checkServers(servers)) results.push(result);
  return results;
}

const namesOfFaults = (results: readonly CheckResult[]): readonly string[] =>
  results.filter(({ fault }) => fault !== undefined).map(({ name }) => name);

describe('the checks of servers', () => {
  it('hold for this one, and leave nothing on it', async () => {
    const results = await check();
    expect(results.filter(({ fault }) => fault !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(8);
    const client = openServerClient(servers.urls[0] ?? '');
    const found = await client.query({
      query: "SELECT name FROM system.databases WHERE name LIKE 'gatelog_check_%'",
      format: 'JSONEachRow',
    });
    expect(await found.json()).toEqual([]);
    await client.close();
  });

  it.each<readonly [string, readonly Fault[], readonly string[]]>([
    [
      'an old version',
      [{ kind: 'rewrite', match: 'SELECT version', from: 'version\\(\\)', to: "'25.8.2.1'" }],
      ['the version is 26.3 or newer'],
    ],
    [
      'a server that forgets tokens',
      [
        {
          kind: 'rewrite',
          match: 'insert_deduplication_token',
          from: "insert_deduplication_token = '[^']*'",
          to: "insert_deduplication_token = '{random}'",
        },
      ],
      ['an insert that is repeated with its token adds nothing'],
    ],
    ['an insert that is acknowledged and lost', [{ kind: 'lost insert', match: "'visible-7'" }], ['what was inserted is read at once']],
    [
      'changes that are refused',
      [{ kind: 'exception', match: '^UPDATE', code: 48, type: 'NOT_IMPLEMENTED' }],
      ['a change is read at once'],
    ],
    [
      'a limit of time that does not hold',
      [{ kind: 'rewrite', match: 'numbers\\(1e12\\)', from: 'numbers\\(1e12\\)', to: 'numbers(10)' }],
      ['a query ends at its time limit'],
    ],
    [
      'a proxy that completes what has failed',
      [{ kind: 'whole answer', match: 'throwIf' }],
      ['an answer that fails in its midst is known to have failed'],
    ],
  ])('name the fault of %s', async (_what, faults, names) => {
    expect(namesOfFaults(await check(...faults))).toEqual(names);
  });

  it('say what is missing where no tables can be made', async () => {
    const results = await check({ kind: 'exception', match: 'CREATE', code: 497, type: 'ACCESS_DENIED' });
    expect(results).toEqual([
      expect.objectContaining({
        name: 'a database and the tables of the store can be made',
        fault: expect.stringContaining('planted') as string,
      }),
    ]);
  });
});
