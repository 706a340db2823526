import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { readRecordStore, saveRecordStore } from '../../metadata/record-store.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Identities, StoreIdentity } from '../../store/copy/identity.ts';
import { assertRecordStore } from './record-store.ts';

let folder: string;
let database: MetadataDatabase;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-record-store-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function store(identity: Partial<StoreIdentity>, isFull = false): { readonly copy: never; readonly marks: string[] } {
  let id = identity.id;
  const marks: string[] = [];
  const room = (): void => {
    if (isFull) throw new GatelogError('store_unavailable', 'The disk of the store is full.');
  };
  const identities: Identities = {
    read: () => Promise.resolve({ copyOf: [], move: undefined, isIncomplete: false, isEmpty: true, ...identity, id }),
    name: async (given = 'new') => {
      if (id !== undefined) return id;
      room();
      id = given;
      return id;
    },
    markCopy: async () => undefined,
    markIncomplete: async () => undefined,
    markMove: async (move) => void marks.push(`move ${move}`),
  };
  return { copy: { identities } as never, marks };
}

const open = (found: { readonly copy: never }, location: string, hasStored = true): Promise<void> =>
  assertRecordStore(found, { database, location, hasStored, now: 1000 });

describe('the store that has the records', () => {
  it('is noted at the first start, and known at the next one', async () => {
    await open(store({ id: 'a' }), 'embedded');
    expect(await readRecordStore(database)).toMatchObject({ storeId: 'a', location: 'embedded', move: undefined });
    await open(store({ id: 'a' }), 'embedded');
  });
  it('may be chosen anew as long as nothing was recorded', async () => {
    await open(store({ id: 'a' }), 'embedded', false);
    await open(store({ id: 'b' }), 'host/gatelog', false);
    expect(await readRecordStore(database)).toMatchObject({ storeId: 'b' });
  });
  it('that was restored gets its identity back, and the number of its move', async () => {
    await saveRecordStore(database, { storeId: 'a', location: 'embedded', since: 1, move: 2 });
    const restored = store({});
    await open(restored, 'embedded');
    expect(restored.marks).toEqual(['move 2']);
  });
});

it('a copy that is used without the store of which it is one is never copied into again', async () => {
  const copy = store({ id: 'b', copyOf: ['a'], isEmpty: false });
  await open(copy, 'host/gatelog');
  expect(copy.marks).toEqual(['move 1000']);
  expect(await readRecordStore(database)).toMatchObject({ storeId: 'b', location: 'host/gatelog' });
});

describe('a start is refused', () => {
  it('with another store, by the name of the one that has the records', async () => {
    await open(store({ id: 'a' }), 'embedded');
    await expect(open(store({ id: 'b' }), 'host/gatelog')).rejects.toThrow(
      'The records are in the data folder, and ClickHouse at host/gatelog has others or none of them.',
    );
    await expect(open(store({}), 'host/gatelog')).rejects.toThrow('The records are in the data folder');
    await expect(open(store({ id: 'b' }), 'embedded')).rejects.toThrow('Another store is in the data folder now');
  });
  it('with a new and empty store after a move, even where the spool was lost', async () => {
    await saveRecordStore(database, { storeId: 'b', location: 'host/gatelog', since: 1, move: 1 });
    await expect(open(store({}), 'embedded', false)).rejects.toThrow('The records are in ClickHouse at host/gatelog');
  });
});

it('on a full disk a store without an identity is opened all the same', async () => {
  await open(store({}, true), 'embedded');
  expect(await readRecordStore(database)).toBeUndefined();
});
