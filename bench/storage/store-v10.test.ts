import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openConnections } from '../../src/store/engine/open-connections.ts';
import { migrateStore } from '../../src/store/schema/migrate.ts';
import { schemaV10 } from './store-v10.ts';

const frozenSteps = 10;

test('the frozen tables are those that the first ten steps of the schema make', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-before-'));
  const connections = openConnections({ folder });
  try {
    await migrateStore(connections, () => undefined, frozenSteps);
    await connections.run('insert', (client) => client.command({ query: 'CREATE DATABASE frozen' }));
    for (const table of schemaV10) {
      const query = table.replace('CREATE TABLE IF NOT EXISTS ', 'CREATE TABLE frozen.');
      await connections.run('insert', (client) => client.command({ query }));
    }
    const described = async (database: string): Promise<readonly unknown[]> => {
      const rows = await connections.run('short', async (client) =>
        (
          await client.query({
            query: `SELECT name, create_table_query AS text FROM system.tables WHERE database = ${database} AND name IN ('requests', 'bodies') ORDER BY name`,
            format: 'JSONEachRow',
          })
        ).json<{ name: string; text: string }>(),
      );
      return rows.map(({ name, text }) => [name, membersOf(text)]);
    };
    const frozen = await described("'frozen'");
    expect(frozen).toHaveLength(2);
    expect(frozen).toEqual(await described('currentDatabase()'));
  } finally {
    await connections.close();
    rmSync(folder, { recursive: true });
  }
});

/** Columns, indexes and settings of a table, in any order: a step adds a column at the end. */
function membersOf(text: string): readonly string[] {
  return text
    .slice(text.indexOf('('))
    .split(', ')
    .map((member) => member.trim())
    .toSorted();
}
