import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AcceptedChange, Change } from '../model/change.ts';
import { parseUuid, type RequestId } from '../model/ids.ts';
import { createApiKey, findApiKeys, listApiKeys, makeKeyLookUp, revokeApiKey, type NewApiKey } from './organization/api-keys.ts';
import { openMetadata, type MetadataDatabase } from './database.ts';
import { inWriteTransaction, type SqliteMode } from '../platform/sqlite/database.ts';
import { advanceErasure, listUnfinishedErasures, orderErasure } from './erasures.ts';
import { openMigratedMetadata } from './migrate.ts';
import { erasedUsersWithoutNul } from './migrations/0011-erased-users-without-nul.ts';
import { createOrganization, findOrganization, listOrganizations, type Organization } from './organization/organizations.ts';
import { appendPendingChanges, listPendingChanges, removePendingChanges } from './pending-changes.ts';
import { declareProperty, listDeclaredProperties } from './organization/properties.ts';
import { claimAll, makeRequestIdClaims, removeClaims } from './request-ids.ts';

const now = () => 1_700_000_000_000;
let folder: string;
let opened: MetadataDatabase[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-metadata-'));
  opened = [];
});

afterEach(async () => {
  for (const database of opened) await database.close();
  rmSync(folder, { recursive: true });
});

async function open(mode: SqliteMode = 'core'): Promise<MetadataDatabase> {
  const database = await openMigratedMetadata(folder, mode, now);
  opened.push(database);
  return database;
}

async function organizationIn(database: MetadataDatabase, name: string): Promise<Organization> {
  const organization = await createOrganization(database, name, now());
  if (organization === 'name_taken') throw new Error(`${name} is taken`);
  return organization;
}

function requestId(number: number): RequestId {
  return parseUuid(`01890000-0000-7000-8000-${String(number).padStart(12, '0')}`) as RequestId;
}

async function synchronous({ queries }: MetadataDatabase): Promise<number | undefined> {
  return (await sql<{ synchronous: number }>`pragma synchronous`.execute(queries)).rows[0]?.synchronous;
}

function newKey(organization: Organization, keyHash: string): NewApiKey {
  const prefix = `sk-svc-us-${keyHash.slice(0, 4)}`;
  return { organizationId: organization.id, name: 'a key', keyHash, prefix, permissions: 'rw', createdAt: now(), personId: null };
}

describe('the database file', () => {
  test('is for this user only and closes before its first query too', async () => {
    const database = openMetadata(path.join(folder, 'new', 'data'), 'core');
    await database.close();
    expect(statSync(path.join(folder, 'new', 'data', 'metadata.db')).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(folder, 'new', 'data')).mode & 0o777).toBe(0o700);
  });

  test('is written through to the disk in the core only', async () => {
    const core = await open('core');
    const gateway = await open('gateway');
    expect([await synchronous(core), await synchronous(gateway)]).toEqual([2, 1]);
  });

  test('keeps nothing of a transaction that fails', async () => {
    const database = await open();
    const failing = inWriteTransaction(database, async (transaction) => {
      await createOrganization(transaction, 'half', now());
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await listOrganizations(database)).toEqual([]);
  });
});

describe('organisations', () => {
  test('are found by name and by id, listed oldest first, and unique by name', async () => {
    const database = await open();
    const first = await organizationIn(database, 'first');
    const second = await organizationIn(database, 'Second');
    expect(await listOrganizations(database)).toEqual([first, second]);
    expect(await findOrganization(database, 'Second')).toEqual(second);
    expect(await findOrganization(database, second.id.toUpperCase())).toEqual(second);
    expect(await findOrganization(database, 'second')).toBeUndefined();
    expect(await createOrganization(database, 'first', now())).toBe('name_taken');
  });

  test('whose name is the id of another are found by their name first', async () => {
    const database = await open();
    const other = await organizationIn(database, 'other');
    const confusing = await organizationIn(database, other.id);
    expect(await findOrganization(database, other.id)).toEqual(confusing);
  });
});

describe('keys', () => {
  test('are looked up by hash until they are revoked, also over another connection', async () => {
    const core = await open('core');
    const lookUp = makeKeyLookUp(await open('gateway'));
    const acme = await organizationIn(core, 'acme');
    expect(lookUp('hash-1')).toBeUndefined();
    const key = await createApiKey(core, newKey(acme, 'hash-1'));
    if (key === 'key_taken') throw new Error(key);
    expect(lookUp('hash-1')).toEqual({ organizationId: acme.id, keyId: key.id, keyHash: 'hash-1', permissions: 'rw' });
    expect(await revokeApiKey(core, { id: key.id }, now() + 5)).toBe(true);
    expect(lookUp('hash-1')).toBeUndefined();
    expect(await revokeApiKey(core, { id: key.id }, now() + 6)).toBe(false);
    expect(await listApiKeys(core)).toEqual([{ ...key, revokedAt: now() + 5 }]);
  });

  test('belong to one organisation', async () => {
    const database = await open();
    const [acme, other] = [await organizationIn(database, 'acme'), await organizationIn(database, 'other')];
    const key = await createApiKey(database, newKey(acme, 'hash-1'));
    if (key === 'key_taken') throw new Error(key);
    expect(await createApiKey(database, newKey(other, 'hash-1'))).toBe('key_taken');
    expect(await listApiKeys(database, other.id)).toEqual([]);
    expect(await listApiKeys(database, acme.id)).toEqual([key]);
    expect(await revokeApiKey(database, { id: key.id, organizationId: other.id }, now())).toBe(false);
    await expect(createApiKey(database, newKey({ ...acme, id: requestId(1) }, 'hash-2'))).rejects.toThrow('FOREIGN KEY');
  });

  test('are found by id, prefix or hash', async () => {
    const database = await open();
    const acme = await organizationIn(database, 'acme');
    const key = await createApiKey(database, newKey(acme, 'hash-1'));
    const sibling = await createApiKey(database, newKey(acme, 'hash-2'));
    if (key === 'key_taken') throw new Error(key);
    expect(await findApiKeys(database, { idOrPrefix: key.id, keyHash: 'none' })).toEqual([key]);
    expect(await findApiKeys(database, { idOrPrefix: 'none', keyHash: 'hash-1' })).toEqual([key]);
    expect(await findApiKeys(database, { idOrPrefix: 'sk-svc-us-hash', keyHash: 'none' })).toEqual([key, sibling]);
  });
});

describe('declared properties', () => {
  test('take the latest spelling and stay apart by organisation', async () => {
    const database = await open();
    const [acme, other] = [await organizationIn(database, 'acme'), await organizationIn(database, 'other')];
    for (const name of ['Environment', 'Team', 'ENVIRONMENT', 'İçerik', '__proto__']) {
      await declareProperty(database, { organizationId: acme.id, name, at: now() });
    }
    await declareProperty(database, { organizationId: other.id, name: 'environment', at: now() });
    const declared = await listDeclaredProperties(database, acme.id);
    expect(declared.map(({ lowerName, name, hidden }) => [lowerName, name, hidden])).toEqual([
      ['__proto__', '__proto__', false],
      ['environment', 'ENVIRONMENT', false],
      ['i̇çerik', 'İçerik', false],
      ['team', 'Team', false],
    ]);
    expect((await listDeclaredProperties(database, other.id)).map(({ name }) => name)).toEqual(['environment']);
  });
});

describe('claims of request identifiers', () => {
  test('are given once for an organisation, whichever connection asks', async () => {
    const database = await open();
    const [acme, other] = [await organizationIn(database, 'acme'), await organizationIn(database, 'other')];
    const connections = [await open('gateway'), await open('gateway')].map((gateway) => makeRequestIdClaims(gateway, now));
    for (let number = 0; number < 200; number += 1) {
      const asked = number % 2 === 0 ? connections : connections.toReversed();
      expect(asked.map(({ claim }) => claim(acme.id, requestId(number)))).toEqual([true, false]);
    }
    expect(connections.map(({ claim }) => claim(other.id, requestId(1)))).toEqual([true, false]);
    connections[0]?.release(acme.id, requestId(1));
    expect(connections.map(({ claim }) => [claim(other.id, requestId(1)), claim(acme.id, requestId(1))])).toEqual([
      [false, true],
      [false, false],
    ]);
  });

  test('are taken many at once, where they are free', async () => {
    const database = await open();
    const acme = await organizationIn(database, 'acme');
    const { claim } = makeRequestIdClaims(await open('gateway'), now);
    claim(acme.id, requestId(1));
    const requestIds = Array.from({ length: 450 }, (_, number) => requestId(number));
    await claimAll(await open('gateway'), acme.id, { requestIds, at: now() });
    expect([requestId(0), requestId(1), requestId(449), requestId(450)].map((id) => claim(acme.id, id))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('go when they are of age, of the organisations in question, however many there are', async () => {
    const database = await open();
    let at = now();
    const { claim } = makeRequestIdClaims(await open('gateway'), () => at);
    const [acme, other] = [await organizationIn(database, 'acme'), await organizationIn(database, 'other')];
    for (let number = 0; number < 2500; number += 1) claim(acme.id, requestId(number));
    claim(other.id, requestId(0));
    at += 1;
    claim(acme.id, requestId(2500));
    claim(other.id, requestId(1));
    const left = async (): Promise<readonly (readonly string[])[]> => {
      const rows = await database.queries
        .selectFrom('request_id_claims')
        .selectAll()
        .orderBy('claimed_at')
        .orderBy('request_id', 'desc')
        .execute();
      return rows.map((row) => [row.organization_id, row.request_id]);
    };
    const { signal } = new AbortController();
    await removeClaims(database, { organizations: [acme.id], before: at }, signal);
    expect(await left()).toEqual([
      [other.id, requestId(0)],
      [acme.id, requestId(2500)],
      [other.id, requestId(1)],
    ]);
    expect(claim(acme.id, requestId(0))).toBe(true);
    await removeClaims(database, { organizations: undefined, before: at }, signal);
    expect(await left()).toHaveLength(3);
    await expect(removeClaims(database, { organizations: undefined, before: at + 1 }, AbortSignal.abort())).rejects.toThrow('abort');
    await removeClaims(database, { organizations: undefined, before: at + 1 }, signal);
    expect(await left()).toEqual([]);
  });
});

function propertiesOf(accepted: AcceptedChange | undefined): ReadonlyMap<string, string> {
  if (accepted?.change.kind !== 'property') throw new Error('a change of properties was kept');
  return accepted.change.values;
}

describe('pending changes', () => {
  test.each<Change>([
    { kind: 'property', values: new Map([['__proto__', 'x']]) },
    {
      kind: 'score',
      values: new Map([
        ['a', 0.1],
        ['b', -1e300],
      ]),
    },
    { kind: 'feedback', rating: true },
    { kind: 'feedback', rating: false },
  ])('come back as they were: %j', async (change) => {
    const database = await open();
    const reference = { organizationId: (await organizationIn(database, 'acme')).id, requestId: requestId(1) };
    const accepted = { ...reference, change, keyId: 'key', acceptedAt: now(), number: 7 };
    await appendPendingChanges(database, [accepted]);
    expect((await listPendingChanges(database, [reference])).map((pending) => pending.accepted)).toEqual([accepted]);
  });

  test('come back in the order in which they were accepted, and only those that are asked for', async () => {
    const database = await open();
    const [acme, other] = [await organizationIn(database, 'acme'), await organizationIn(database, 'other')];
    const append = async (organizationId: Organization['id'], number: number, properties: readonly [string, string][]) =>
      appendPendingChanges(database, [
        {
          organizationId,
          requestId: requestId(number),
          change: { kind: 'property', values: new Map(properties) },
          keyId: 'key',
          acceptedAt: now(),
          number: number + 2 ** 52,
        },
      ]);
    await append(acme.id, 1, [['Team', 'red']]);
    await append(acme.id, 2, [['Team', 'green']]);
    await append(other.id, 1, [['Team', 'not acme']]);
    await append(acme.id, 1, [
      ['Team', 'blue'],
      ['__proto__', 'x'],
      ['10', 'y'],
    ]);
    await append(acme.id, 900, [['Team', 'far']]);

    const many = Array.from({ length: 1200 }, (_, number) => ({ organizationId: acme.id, requestId: requestId(number) }));
    const listed = await listPendingChanges(database, [...many, ...many]);
    expect(listed.map(({ accepted }) => [accepted.requestId, propertiesOf(accepted).get('Team')])).toEqual([
      [requestId(1), 'red'],
      [requestId(2), 'green'],
      [requestId(1), 'blue'],
      [requestId(900), 'far'],
    ]);
    expect(listed[2]?.accepted).toMatchObject({ organizationId: acme.id, keyId: 'key', acceptedAt: now(), number: 1 + 2 ** 52 });
    expect(propertiesOf(listed[2]?.accepted).get('__proto__')).toBe('x');
    expect(await listPendingChanges(database, [])).toEqual([]);
  });

  test('that arrive between listing and removing stay', async () => {
    const database = await open();
    const request = { organizationId: (await organizationIn(database, 'acme')).id, requestId: requestId(1) };
    const append = async (value: string) =>
      appendPendingChanges(database, [
        {
          ...request,
          change: { kind: 'property', values: new Map([['Team', value]]) },
          keyId: 'key',
          acceptedAt: now(),
          number: 1,
        },
      ]);
    await append('red');
    const listed = await listPendingChanges(database, [request]);
    await append('blue');
    await removePendingChanges(
      database,
      listed.map(({ sequence }) => sequence),
    );
    const left = await listPendingChanges(database, [request]);
    expect(left.map(({ accepted }) => propertiesOf(accepted).get('Team'))).toEqual(['blue']);
    await removePendingChanges(
      database,
      left.map(({ sequence }) => sequence),
    );
    await append('green');
    expect((await listPendingChanges(database, [request]))[0]?.sequence).toBeGreaterThan(left[0]?.sequence ?? 0);
  });
});

describe('erasures', () => {
  test.each(['alice\0x', '\0', '%', '%00', '%2500', 'a%\0%25', 'plain'])(
    'keep the user %j as it was given, and apart from all others',
    async (userId) => {
      const database = await open();
      const { id: organizationId } = await organizationIn(database, 'a');
      const order = (user: string) => orderErasure(database, { organizationId, userId: user, at: now(), takesNew: true });
      const others = ['alice', '', '%25', '%0000'];
      for (const other of others) await order(other);
      expect(await order(userId)).toMatchObject({ userId, stage: 'ordered' });
      const listed = await listUnfinishedErasures(database);
      expect(listed.map((erasure) => erasure.userId)).toEqual([...others, userId]);
    },
  );

  test.each([
    ['ordered', 'ordered'],
    ['lettersCounted', 'counted'],
    ['lettersErased', 'awaited'],
    ['listed', 'listed'],
    ['removed', 'removed'],
    ['cacheCounted', 'weighed'],
    ['cacheErased', 'forgotten'],
    ['lettersRecounted', 'recounted'],
  ] as const)('at the stage %s are stored as %s, as they always were, and go on there', async (stage, stored) => {
    const database = await open();
    const { id: organizationId } = await organizationIn(database, 'a');
    await orderErasure(database, { organizationId, userId: 'alice', at: now(), takesNew: true });
    await advanceErasure(database, 1, { stage });
    expect(await database.queries.selectFrom('erasures').select('stage').execute()).toEqual([{ stage: stored }]);
    expect(await listUnfinishedErasures(database)).toMatchObject([{ stage }]);
  });

  test('that ran before names were kept without NUL are of the same users afterwards', async () => {
    const database = await open();
    const { id: organizationId } = await organizationIn(database, 'a');
    const { queries } = database;
    await queries
      .insertInto('erasures')
      .values({ organization_id: organizationId, user_id: '100%25', erased_at: 1, stage: 'ordered' })
      .execute();
    await erasedUsersWithoutNul.apply(queries);
    expect(await listUnfinishedErasures(database)).toMatchObject([{ userId: '100%25' }]);
  });
});
