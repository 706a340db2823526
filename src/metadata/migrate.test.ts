import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Observation } from '../model/observation.ts';
import { openMetadata } from './database.ts';
import { migrateMetadata, openMigratedMetadata } from './migrate.ts';

const now = () => 1_700_000_000_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-migrate-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Node cannot run TypeScript here, so a child loads the rooms through Vite, as the tests themselves are loaded. */
const childProgram = `
  import { once } from 'node:events';
  import { createViteServer } from 'vitest/node';
  const server = await createViteServer({ configFile: false, logLevel: 'silent', server: { middlewareMode: true, ws: false, watch: null }, optimizeDeps: { noDiscovery: true } });
  const { openMigratedMetadata } = await server.ssrLoadModule('/src/metadata/migrate.ts');
  const { makeRequestIdClaims } = await server.ssrLoadModule('/src/metadata/request-ids.ts');
  const { bootstrap } = await server.ssrLoadModule('/src/auth/bootstrap.ts');
  process.send('ready');
  const [folder] = await once(process, 'message');
  const applied = [];
  const database = await openMigratedMetadata(folder, 'core', Date.now, (observation) => applied.push(observation.name));
  const { created } = await bootstrap(database, { region: 'us', now: Date.now });
  await database.close();
  const gateway = await openMigratedMetadata(folder, 'gateway', Date.now);
  const { claim } = makeRequestIdClaims(gateway, Date.now);
  let claimed = 0;
  for (let id = 0; id < 500; id += 1) if (claim('organization', 'request ' + id)) claimed += 1;
  await gateway.close();
  await server.close();
  process.send({ applied, created, claimed });
  process.disconnect();
`;

interface ChildReport {
  readonly applied: readonly string[];
  readonly created: boolean;
  readonly claimed: number;
}

/** The child's next message; its death is a failure, not a wait. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`The child ended with ${String(code)}.`);
  });
  const [message] = (await Promise.race([once(child, 'message'), died])) as unknown[];
  return message;
}

test('several processes at once migrate, bootstrap and claim each identifier exactly once', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', childProgram], { cwd: root, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  await Promise.all(children.map(nextMessage));
  const reports = children.map(nextMessage);
  for (const child of children) child.send(folder);
  const outputs = (await Promise.all(reports)) as ChildReport[];
  expect(outputs.flatMap(({ applied }) => applied)).toEqual(['0001-first-tables']);
  expect(outputs.filter(({ created }) => created)).toHaveLength(1);
  expect(outputs.reduce((sum, { claimed }) => sum + claimed, 0)).toBe(500);
});

test('a second start changes nothing', async () => {
  const observations: Observation[] = [];
  for (let start = 0; start < 2; start += 1) {
    const database = await openMigratedMetadata(folder, 'core', now, (observation) => observations.push(observation));
    await database.close();
  }
  expect(observations).toEqual([{ kind: 'migration_applied', database: 'metadata', name: '0001-first-tables' }]);
});

test('a file of a newer version is left alone', async () => {
  const database = await openMigratedMetadata(folder, 'core', now);
  await database.queries.insertInto('schema_migrations').values({ name: '9999-from-the-future', applied_at: now() }).execute();
  await expect(migrateMetadata(database, now)).rejects.toThrow('newer version');
  await database.close();
  await expect(openMigratedMetadata(folder, 'gateway', now)).rejects.toThrow('newer version');
});

test('a step that fails leaves no table behind', async () => {
  const database = openMetadata(folder, 'core');
  await database.queries.schema.createTable('request_id_claims').addColumn('in_the_way', 'text').execute();
  await expect(migrateMetadata(database, now)).rejects.toThrow('request_id_claims');
  const tables = await database.queries.introspection.getTables();
  expect(tables.map(({ name }) => name)).toEqual(['request_id_claims']);
  await database.close();
});
