import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RequestId } from '../model/ids.ts';
import type { Observation } from '../model/observation.ts';
import { openMetadata } from './database.ts';
import { migrateMetadata, openMigratedMetadata } from './migrate.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { listPendingChanges } from './pending-changes.ts';

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
  const database = await openMigratedMetadata(folder, 'core', Date.now, (observation) => applied.push(...observation.steps));
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
  expect(outputs.flatMap(({ applied }) => applied)).toEqual([
    '0001-first-tables',
    '0002-pending-changes',
    '0003-rate-limits',
    '0004-provider-keys',
    '0005-redaction-rules',
    '0006-organization-prices',
    '0008-retention-and-erasures',
    '0009-believed-time',
    '0010-claims-by-age',
    '0011-erased-users-without-nul',
    '0012-hidden-properties',
    '0013-jobs',
    '0014-webhooks',
    '0015-alert-rules',
    '0016-browser-sessions',
    '0017-enforced-rules',
    '0018-views-and-boards',
    '0019-operator-prices',
    '0020-people',
    '0021-inviters',
    '0022-record-store',
  ]);
  expect(outputs.filter(({ created }) => created)).toHaveLength(1);
  expect(outputs.reduce((sum, { claimed }) => sum + claimed, 0)).toBe(500);
});

test('a second start changes nothing', async () => {
  const observations: Observation[] = [];
  for (let start = 0; start < 2; start += 1) {
    const database = await openMigratedMetadata(folder, 'core', now, (observation) => observations.push(observation));
    await database.close();
  }
  expect(observations).toEqual([
    {
      kind: 'database_prepared',
      database: 'metadata',
      isNew: true,
      steps: [
        '0001-first-tables',
        '0002-pending-changes',
        '0003-rate-limits',
        '0004-provider-keys',
        '0005-redaction-rules',
        '0006-organization-prices',
        '0008-retention-and-erasures',
        '0009-believed-time',
        '0010-claims-by-age',
        '0011-erased-users-without-nul',
        '0012-hidden-properties',
        '0013-jobs',
        '0014-webhooks',
        '0015-alert-rules',
        '0016-browser-sessions',
        '0017-enforced-rules',
        '0018-views-and-boards',
        '0019-operator-prices',
        '0020-people',
        '0021-inviters',
        '0022-record-store',
      ],
    },
  ]);
});

test('updates that waited in the table of old wait on, in their order', async () => {
  const database = openMetadata(folder, 'core');
  await database.queries.schema.createTable('schema_migrations').addColumn('name', 'text').addColumn('applied_at', 'bigint').execute();
  await firstTables.apply(database.queries);
  await database.queries.insertInto('schema_migrations').values({ name: firstTables.name, applied_at: now() }).execute();
  const requestId = '01890000-0000-7000-8000-000000000001' as RequestId;
  for (const properties of ['{"Team":"red"}', '{"Team":"blue","__proto__":"x"}']) {
    await sql`insert into pending_property_updates (organization_id, request_id, properties, key_id, accepted_at)
      values (${requestId}, ${requestId}, ${properties}, 'key', ${now()})`.execute(database.queries);
  }
  await migrateMetadata(database, now);
  const pending = await listPendingChanges(database, [{ organizationId: requestId, requestId }]);
  expect(pending.map(({ accepted }) => accepted)).toMatchObject([
    { change: { kind: 'property', values: new Map([['Team', 'red']]) }, keyId: 'key', acceptedAt: now(), number: now() * 1000 + 1 },
    { change: { values: new Map(Object.entries(JSON.parse('{"Team":"blue","__proto__":"x"}') as object)) }, number: now() * 1000 + 2 },
  ]);
  await database.close();
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
