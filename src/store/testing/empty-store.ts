import { createHash } from 'node:crypto';
import { constants, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openConnections } from '../engine/open-connections.ts';
import { migrateStore } from '../schema/migrate.ts';

const templates = path.resolve('.cache/empty-stores');
const schema = 'src/store/schema';

/**
 * Makes a folder a store with all tables and no rows. TRICKY: a copy of one that was made by all steps of the schema before, which takes a
 * hundredth of the time. Must be called while no store is open in this process.
 */
export async function makeEmptyStore(folder: string): Promise<void> {
  const template = path.join(templates, stateOfSchema());
  if (!existsSync(template)) await makeTemplate(template);
  cpSync(template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Each step of the schema leaves a part of ten files, which stay for minutes after a merge. They would be five of six files of a new store. */
const withoutOldParts = [
  'CREATE TABLE joined AS schema_migrations',
  'INSERT INTO joined SELECT * FROM schema_migrations',
  'EXCHANGE TABLES joined AND schema_migrations',
  'DROP TABLE joined SYNC',
];

/** Other processes may make the same one meanwhile: the first that is whole stays. */
async function makeTemplate(template: string): Promise<void> {
  mkdirSync(templates, { recursive: true });
  const folder = mkdtempSync(`${template}-`);
  const connections = openConnections({ folder });
  await migrateStore(connections, () => undefined);
  await connections.run('insert', async (client) => {
    for (const query of withoutOldParts) await client.command({ query });
  });
  await connections.close();
  try {
    renameSync(folder, template);
  } catch (error) {
    if (!existsSync(template)) throw error;
    rmSync(folder, { recursive: true });
  }
}

let state: string | undefined;

/** Changes with each file of the schema, with the engine and with this file. */
function stateOfSchema(): string {
  if (state !== undefined) return state;
  const names = readdirSync(schema, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const hash = createHash('sha256')
    .update(readFileSync('node_modules/chdb/package.json'))
    .update(readFileSync(import.meta.filename));
  for (const name of names.toSorted()) hash.update(name).update(readFileSync(path.join(schema, name)));
  state = hash.digest('hex').slice(0, 16);
  return state;
}
