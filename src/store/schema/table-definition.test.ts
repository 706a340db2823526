import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoreRig, type StoreRig } from '../testing/store-harness.ts';
import { newStore, schemaMigrations } from './new-store.ts';
import { createTable, type Topology } from './table-definition.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(() => rig.close());

const tables = [...newStore, schemaMigrations];
const topologies: readonly Topology[] = [
  { kind: 'embedded' },
  { kind: 'server' },
  { kind: 'replicated database' },
  { kind: 'cloud' },
  { kind: 'cluster', cluster: 'main' },
];
const definition = (name: string, topology: Topology): string => {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(name);
  return createTable(table, topology);
};

describe('the statement that makes a table', () => {
  it.each(topologies)('is one that the engine parses: $kind', async (topology) => {
    for (const table of tables) {
      const [parsed] = await rig.run<{ text: string }>('SELECT formatQuery({text:String}) AS text', {
        params: { text: createTable(table, topology) },
      });
      expect(parsed?.text).toContain(table.name);
    }
  });

  it('on a server may run again, and keeps what is there', async () => {
    const command = (query: string): Promise<unknown> => rig.connections.run('insert', (client) => client.command({ query }));
    await command('DROP TABLE job_requests SYNC');
    await command(definition('job_requests', { kind: 'server' }));
    await command("INSERT INTO job_requests VALUES (1, 1, '2026-01-31 12:00:00', 1)");
    await command(definition('job_requests', { kind: 'server' }));
    expect(await rig.run('SELECT toString(job) AS job FROM job_requests')).toEqual([{ job: '1' }]);
  });

  it('of a database that replicates itself names no path, and remembers tokens for a week', () => {
    const text = definition('requests', { kind: 'replicated database' });
    expect(text).toContain('ENGINE = ReplicatedMergeTree\n');
    expect(text).toContain('replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800');
    expect(text).not.toContain('non_replicated_deduplication_window');
  });

  it('on a cluster has its name and the macros of path and replica', () => {
    expect(definition('requests', { kind: 'cluster', cluster: 'it`s' })).toContain(
      'CREATE TABLE IF NOT EXISTS requests ON CLUSTER `it\\`s` (',
    );
    expect(definition('session_tags', { kind: 'cluster', cluster: 'main' })).toContain(
      "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', number)",
    );
  });

  it('in the cloud has its engine and its disks from there', () => {
    const text = definition('requests', { kind: 'cloud' });
    expect(text).toContain('ENGINE = MergeTree\n');
    expect(text).not.toContain('fsync');
  });
});
