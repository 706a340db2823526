import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listApiKeys, makeKeyLookUp, revokeApiKey } from '../metadata/organization/api-keys.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { createOrganization, listOrganizations } from '../metadata/organization/organizations.ts';
import { hashKey } from './api-key.ts';
import { bootstrap } from './bootstrap.ts';
import { issueKey } from './issue-key.ts';
import { KeyVerifier } from './verify.ts';

const now = () => 1_700_000_000_000;
const chosen = 'sk-svc-us-chosen-by-the-operator';
let folder: string;
let database: MetadataDatabase;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-auth-'));
  database = await openMigratedMetadata(folder, 'core', now);
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function verifier(clock: { ms: number }): KeyVerifier {
  return new KeyVerifier({ lookUp: makeKeyLookUp(database), monotonic: () => clock.ms, staleMaxMs: 600_000 });
}

test('the first start makes the organisation "default" with a key that works and is an admin', async () => {
  const result = await bootstrap(database, { region: 'eu', now });
  if (!result.created) throw new Error('nothing was created');
  expect(result.apiKey).toMatch(/^sk-svc-eu-/);
  const organizations = await listOrganizations(database);
  expect(organizations.map(({ name }) => name)).toEqual(['default']);
  expect(verifier({ ms: 0 }).verify(hashKey(result.apiKey))).toMatchObject({ organizationId: organizations[0]?.id, permissions: 'admin' });
});

test('the first start takes the operator’s key, and later starts change nothing', async () => {
  expect(await bootstrap(database, { bootstrapKey: chosen, region: 'us', now })).toEqual({ created: true, apiKey: chosen });
  expect(await bootstrap(database, { bootstrapKey: `${chosen}-2`, region: 'us', now })).toEqual({ created: false });
  expect(await bootstrap(database, { region: 'us', now })).toEqual({ created: false });
  expect(verifier({ ms: 0 }).verify(hashKey(chosen))).toBeDefined();
  expect(verifier({ ms: 0 }).verify(hashKey(`${chosen}-2`))).toBeUndefined();
  expect(await listApiKeys(database)).toHaveLength(1);
});

test('an organisation that the operator made first is enough', async () => {
  await createOrganization(database, 'acme', now());
  expect(await bootstrap(database, { bootstrapKey: chosen, region: 'us', now })).toEqual({ created: false });
});

test('a key that cannot be one is refused with a sentence that does not hold it, and nothing is created', async () => {
  const attempt = bootstrap(database, { bootstrapKey: 'my-secret-0123456789', region: 'us', now });
  await expect(attempt).rejects.toThrow(/^GATELOG_BOOTSTRAP_API_KEY cannot be used\. A key starts with sk-svc-us-(?!.*my-secret)/);
  expect(await listOrganizations(database)).toEqual([]);
});

test('an issued key is verified until two seconds after its revocation, and is in no file', async () => {
  const organization = await createOrganization(database, 'acme', now());
  if (organization === 'name_taken') throw new Error(organization);
  const { key, apiKey } = await issueKey(database, {
    organizationId: organization.id,
    region: 'us',
    name: 'app',
    permissions: 'w',
    at: now(),
  });
  const clock = { ms: 0 };
  const keys = verifier(clock);
  expect(keys.verify(hashKey(key))).toEqual({
    organizationId: organization.id,
    keyId: apiKey.id,
    keyHash: apiKey.keyHash,
    permissions: 'w',
  });
  await revokeApiKey(database, { id: apiKey.id }, now());
  clock.ms = 2000;
  expect(keys.verify(hashKey(key))).toBeUndefined();
  const files = readdirSync(folder);
  expect(files).toContain('metadata.db-wal');
  for (const file of files) expect(readFileSync(path.join(folder, file), 'latin1')).not.toContain(key);
});
