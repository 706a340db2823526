import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OrganizationId, RequestId, Uuid } from '../model/ids.ts';
import { copyMetadata } from './copy.ts';
import { type MetadataDatabase, openMetadata } from './database.ts';
import { metadataFileName } from './metadata-file.ts';
import { openMigratedMetadata } from './migrate.ts';
import { metadataSteps } from './steps.ts';
import { addBoard, findBoard } from './organization/boards.ts';
import { addView, listViews } from './organization/views.ts';
import { createOrganization, listOrganizations } from './organization/organizations.ts';
import { appendPendingChanges, countPendingChanges, lastPendingSequence } from './pending-changes.ts';
import { addProviderKey, listProviderKeys } from './organization/provider-keys.ts';
import { addWebhook, listAllWebhooks, type StoredWebhook } from './organization/webhooks.ts';

const sealed = 'sealed-text-of-a-key-of-a-provider';

let folder: string;
let database: MetadataDatabase;
let organizationId: OrganizationId;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-copy-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
  const made = await createOrganization(database, "acme's", 1);
  if (made === 'name_taken') throw new Error('the database is not new');
  organizationId = made.id;
  await addProviderKey(database, { id: 'key-1', organizationId, provider: 'openai', name: null, sealed, hint: null, createdAt: 1 }, 10);
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

async function keepChange(number: number): Promise<void> {
  const requestId = `00000000-0000-4000-8000-00000000000${number}` as RequestId;
  const change = { kind: 'property', values: new Map([['A', '1']]) } as const;
  await appendPendingChanges(database, [{ organizationId, requestId, change, keyId: 'k', acceptedAt: 0, number }]);
}

/** The copy, opened as a data folder's database. */
async function copied(secrets: boolean, lastPendingChange: number) {
  const copyFolder = mkdtempSync(path.join(folder, "it's-a-copy-"));
  const file = path.join(copyFolder, metadataFileName);
  const copy = await copyMetadata(folder, file, { lastPendingChange, secrets });
  const bytes = readFileSync(file).toString('latin1');
  return { copy, bytes, opened: openMetadata(copyFolder, 'core') };
}

test('a copy has what others have just written, and of the changes that wait those up to one', async () => {
  await keepChange(1);
  const last = await lastPendingSequence(database);
  await keepChange(2);
  const { copy, opened } = await copied(true, last);
  expect(copy.steps).toEqual([...metadataSteps].toSorted());
  expect((await listOrganizations(opened)).map(({ name }) => name)).toEqual(["acme's"]);
  expect(await countPendingChanges(opened)).toBe(1);
  expect(await countPendingChanges(database)).toBe(2);
  await opened.close();
});

/** A webhook whose secret is being replaced. */
function rotatedWebhook(): StoredWebhook {
  return {
    id: '00000000-0000-7000-8000-0000000000aa' as Uuid,
    organizationId,
    name: 'ours',
    destination: 'https://hooks.example.com/1',
    filter: 'all',
    sampleRate: 100,
    events: ['request.completed'],
    includeData: true,
    startsAfter: 1,
    disabled: null,
    createdAt: 1,
    changedAt: 1,
    secrets: { sealed: 'sealed-present', previous: { sealed: 'sealed-previous', endsAt: 2 } },
  };
}

test('views and boards are in it', async () => {
  const saved = { id: '00000000-0000-7000-8000-0000000000bb' as Uuid, name: 'ours', createdAt: 1, changedAt: 1 };
  const view = { ...saved, page: 'requests', search: { q: 'a' } } as const;
  const board = { ...saved, time_range: { last: '7d' }, panels: [{ title: 'Cost', chart: 'bars' as const }], version: 3 };
  await addView(database, organizationId, view, 1);
  await addBoard(database, organizationId, board, 1);
  const { opened } = await copied(false, 0);
  expect(await listViews(opened, organizationId)).toEqual([view]);
  expect(await findBoard(opened, organizationId, board.id)).toEqual(board);
  await opened.close();
});

test('secrets of webhooks are in it only when they are asked for; else the webhooks are there without a byte of them', async () => {
  const webhook = rotatedWebhook();
  await addWebhook(database, webhook, 10);
  const withSecrets = await copied(true, 0);
  expect(withSecrets.copy.secretsLeftOut).toBe(0);
  expect(await listAllWebhooks(withSecrets.opened)).toEqual([webhook]);
  await withSecrets.opened.close();
  const without = await copied(false, 0);
  // One key of a provider, one webhook.
  expect(without.copy.secretsLeftOut).toBe(2);
  expect(await listAllWebhooks(without.opened)).toEqual([{ ...webhook, secrets: { sealed: '', previous: null } }]);
  for (const part of ['sealed-present', 'sealed-previous']) {
    expect([withSecrets.bytes.includes(part), without.bytes.includes(part)]).toEqual([true, false]);
  }
  await without.opened.close();
});

test('keys of providers are in it only when they are asked for; else no byte of them is', async () => {
  const withSecrets = await copied(true, 0);
  expect(withSecrets.copy.secretsLeftOut).toBe(0);
  expect(await listProviderKeys(withSecrets.opened, organizationId)).toMatchObject([{ sealed }]);
  await withSecrets.opened.close();
  const without = await copied(false, 0);
  expect(without.copy.secretsLeftOut).toBe(1);
  expect(await listProviderKeys(without.opened, organizationId)).toEqual([]);
  expect([withSecrets.bytes.includes(sealed), without.bytes.includes(sealed)]).toEqual([true, false]);
  await without.opened.close();
});
