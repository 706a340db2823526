import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { madeAtOnce, migrateStore, migrations, storeSteps } from './migrate.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'gatelog-new-store-'));
afterAll(() => rmSync(parent, { recursive: true }));

async function rowsOf<Row>(connections: Connections, query: string): Promise<readonly Row[]> {
  return connections.run('short', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>());
}

async function command(connections: Connections, query: string): Promise<void> {
  await connections.run('insert', (client) => client.command({ query }));
}

/** What the engine says of all tables, with the settings of each in the order of their names. */
async function tablesOf(connections: Connections): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await rowsOf<{ name: string; create_table_query: string }>(
    connections,
    "SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND name != 'schema_migrations' ORDER BY name",
  );
  return Object.fromEntries(
    tables.map(({ name, create_table_query: text }) => {
      const [columns = '', settings = ''] = text.split(/ SETTINGS (?=[^)]*$)/);
      return [name, [...columns.split(/, (?=`|INDEX )/), ...settings.split(', ').toSorted()]];
    }),
  );
}

/** Opens a store, one after another: the engine opens one folder at a time. */
async function inStore<Result>(name: string, work: (connections: Connections) => Promise<Result>): Promise<Result> {
  const connections = openConnections({ folder: path.join(parent, name) });
  try {
    return await work(connections);
  } finally {
    await connections.close();
  }
}

describe('a new store', () => {
  let atOnce: Readonly<Record<string, readonly string[]>>;
  beforeAll(async () => {
    atOnce = await inStore('at-once', async (connections) => {
      await migrateStore(connections, () => undefined);
      return tablesOf(connections);
    });
  });

  it('has the tables that all steps would have made, but smaller granules of requests', async () => {
    const byStep = await inStore('by-step', async (connections) => {
      await migrateStore(connections, () => undefined, storeSteps - 1);
      await migrateStore(connections, () => undefined);
      return tablesOf(connections);
    });
    const { requests = [] } = byStep;
    const small = requests.map((setting) => setting.replace('index_granularity = 8192', 'index_granularity = 2048'));
    expect(small).not.toEqual(requests);
    expect(atOnce).toEqual({ ...byStep, requests: small });
  });

  it('says that it has all steps, and a later start has nothing to do', async () => {
    await inStore('at-once', async (connections) => {
      const steps = migrations.map(({ number, name }) => ({ number, name }));
      expect(await rowsOf(connections, 'SELECT number, name FROM schema_migrations ORDER BY number')).toEqual(steps);
      await migrateStore(connections, () => expect.unreachable());
    });
  });

  it('is made again where the first start was interrupted', async () => {
    await inStore('interrupted', async (connections) => {
      // As an older version would have begun it.
      await migrateStore(connections, () => undefined, 1);
      await command(connections, 'TRUNCATE TABLE schema_migrations');
      const applied: string[] = [];
      await migrateStore(connections, (name) => applied.push(name));
      expect(applied).toEqual([madeAtOnce]);
      expect(await tablesOf(connections)).toEqual(atOnce);
    });
  });

  it('is not made where rows are, whose version nobody knows', async () => {
    await inStore('at-once', async (connections) => {
      await command(connections, "INSERT INTO requests (org_id, created_at, request_id) VALUES (1, '2026-01-01 00:00:00', 1)");
      await command(connections, 'TRUNCATE TABLE schema_migrations');
      await expect(migrateStore(connections, () => undefined)).rejects.toThrow('does not say by which version');
      expect(await rowsOf(connections, 'SELECT request_id FROM requests')).toHaveLength(1);
    });
  });
});
