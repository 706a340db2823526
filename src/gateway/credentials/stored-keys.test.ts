import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProviderKeyCipher } from '../../auth/provider-key-cipher.ts';
import { makeProviderKeyVault, type ProviderKeyVault } from '../../auth/provider-keys.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { createOrganization } from '../../metadata/organization/organizations.ts';
import { makeProviderKeyLookUp, type StoredProviderKey } from '../../metadata/organization/provider-keys.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import { StoredProviderKeys } from './stored-keys.ts';

const cipher = makeProviderKeyCipher(Buffer.alloc(32, 1));
const staleMaxMs = 60_000;
let folder: string;
let database: MetadataDatabase;
let vault: ProviderKeyVault;
let ours: OrganizationId;
let theirs: OrganizationId;
let now: number;
let lookUps: number;
let failing: boolean;
let observed: Observation[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-provider-keys-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
  vault = makeProviderKeyVault(database, cipher, () => now);
  [ours, theirs] = [await newOrganization('ours'), await newOrganization('theirs')];
  [now, lookUps, failing, observed] = [0, 0, false, []];
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

async function newOrganization(name: string): Promise<OrganizationId> {
  const organization = await createOrganization(database, name, 0);
  if (organization === 'name_taken') throw new Error('taken');
  return organization.id;
}

function keysWith(
  open: (stored: StoredProviderKey) => string | undefined = (stored) => cipher.open(stored, stored.sealed),
): StoredProviderKeys {
  const read = makeProviderKeyLookUp(database);
  const lookUp = (organizationId: OrganizationId): readonly StoredProviderKey[] => {
    lookUps += 1;
    if (failing) throw new Error('the disk is gone');
    return read(organizationId);
  };
  return new StoredProviderKeys({ lookUp, open, monotonic: () => now, staleMaxMs, observe: (each) => observed.push(each) });
}

async function store(provider: string, key: string, name: string | null = null, organizationId = ours): Promise<string> {
  const stored = await vault.add(organizationId, { provider, key, name });
  if (typeof stored === 'string') throw new Error(stored);
  return stored.id;
}

describe('which key is used', () => {
  it('the newest without a name, else the newest; a named one where it is named', async () => {
    await store('openai', 'named', 'backup');
    const keys = keysWith();
    expect([keys.find(ours, 'openai'), keys.find(ours, 'openai', 'backup'), keys.find(ours, 'openai', 'other')]).toEqual([
      'named',
      'named',
      undefined,
    ]);
    await store('openai', 'first');
    const second = await store('openai', 'second');
    await store('openai', 'newest', 'newest');
    now = 2000;
    expect([keys.find(ours, 'openai'), keys.find(ours, 'openai', 'newest')]).toEqual(['second', 'newest']);
    await vault.remove(ours, second);
    now = 4000;
    expect(keys.find(ours, 'openai')).toBe('first');
  });

  it('only of the provider and of the organisation', async () => {
    await store('openai', 'o');
    await store('anthropic', 'a', null, theirs);
    const keys = keysWith();
    expect([keys.find(ours, 'anthropic'), keys.find(theirs, 'openai'), keys.find(theirs, 'anthropic')]).toEqual([
      undefined,
      undefined,
      'a',
    ]);
    expect([...keys.providersOf(ours)]).toEqual(['openai']);
  });

  it('a row that was moved to another organisation opens for nobody', async () => {
    const id = await store('openai', 'o');
    await database.queries.updateTable('provider_keys').set({ organization_id: theirs }).where('id', '=', id).execute();
    const keys = keysWith();
    expect(() => keys.find(theirs, 'openai')).toThrow('cannot be decrypted');
    expect(keys.find(ours, 'openai')).toBeUndefined();
  });
});

describe('what is cached', () => {
  it('is read once in two seconds, for organisations without a key too', async () => {
    const keys = keysWith();
    for (let call = 0; call < 100; call += 1) expect(keys.find(ours, 'openai')).toBeUndefined();
    expect(lookUps).toBe(1);
    await store('openai', 'o');
    now = 1999;
    expect(keys.find(ours, 'openai')).toBeUndefined();
    now = 2000;
    expect([keys.find(ours, 'openai'), lookUps]).toEqual(['o', 2]);
  });

  it('holds while the database is away, for as long as a checked key does; then the call is refused', async () => {
    await store('openai', 'o');
    const keys = keysWith();
    expect(keys.find(ours, 'openai')).toBe('o');
    failing = true;
    now = staleMaxMs;
    expect(keys.find(ours, 'openai')).toBe('o');
    now = staleMaxMs + 2000;
    expect(() => keys.find(ours, 'openai')).toThrow('cannot be read at the moment');
    expect(() => keys.providersOf(theirs)).toThrow('cannot be read at the moment');
    expect(observed.map(({ kind }) => kind)).toEqual(['provider_keys_failed', 'provider_keys_failed', 'provider_keys_failed']);
    failing = false;
    expect(keys.find(ours, 'openai')).toBe('o');
  });
});

it('a key that does not open is an error that says what to do, once in the log for many calls; others go on', async () => {
  const id = await store('openai', 'o');
  await store('anthropic', 'a');
  const changed = makeProviderKeyCipher(Buffer.alloc(32, 2));
  const keys = keysWith((stored) => (stored.provider === 'openai' ? changed : cipher).open(stored, stored.sealed));
  for (let call = 0; call < 3; call += 1) {
    expect(() => keys.find(ours, 'openai')).toThrow(
      `The key that your organisation has stored for openai (${id}) cannot be decrypted: the secret of this deployment is not the one it was stored with. Restore that secret`,
    );
  }
  expect(observed).toEqual([{ kind: 'provider_key_unreadable', organizationId: ours, provider: 'openai', id }]);
  expect(keys.find(ours, 'anthropic')).toBe('a');
});
