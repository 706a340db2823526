import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredBoard } from '../../model/dashboard/board.ts';
import type { SavedView } from '../../model/dashboard/view.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import type { MetadataDatabase } from '../database.ts';
import { openMigratedMetadata } from '../migrate.ts';
import { addBoard, findBoard, listBoards, replaceBoard } from './boards.ts';
import { deleteRow } from './delete-row.ts';
import { addView, listViews, replaceView } from './views.ts';

const ours = '01890000-0000-7000-8000-00000000000a' as OrganizationId;
const theirs = '01890000-0000-7000-8000-00000000000b' as OrganizationId;
const idOf = (number: number): Uuid => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}` as Uuid;

let folder: string;
let database: MetadataDatabase;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-dashboard-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const view = (number: number, name = `view ${number}`): SavedView => ({
  id: idOf(number),
  name,
  page: 'requests',
  search: { q: 'a\0b \ud800' },
  createdAt: number,
  changedAt: number,
});

const board = (number: number, name = `board ${number}`): StoredBoard => ({
  id: idOf(number),
  name,
  time_range: { last: '7d' },
  panels: [{ title: 'a\0b', chart: 'bars' }],
  version: 1,
  createdAt: number,
  changedAt: number,
});

describe('views', () => {
  test('an organisation has at most so many, and each name once on a page', async () => {
    expect(await addView(database, ours, view(1), 2)).toBeUndefined();
    expect(await addView(database, ours, view(2, 'view 1'), 2)).toBe('name_taken');
    expect(await addView(database, ours, { ...view(2, 'view 1'), page: 'explore' }, 2)).toBeUndefined();
    expect(await addView(database, ours, view(3), 2)).toBe('too_many');
    expect(await addView(database, theirs, view(4, 'view 1'), 2)).toBeUndefined();
    expect(await listViews(database, ours)).toEqual([{ ...view(2, 'view 1'), page: 'explore' }, view(1)]);
  });

  test('nothing changes those of another organisation', async () => {
    await addView(database, ours, view(1), 2);
    expect(await replaceView(database, theirs, { ...view(1), name: 'theirs' })).toBe('unknown');
    expect(await deleteRow(database, 'saved_views', theirs, idOf(1))).toBe(false);
    expect(await listViews(database, ours, 'requests')).toEqual([view(1)]);
    expect(await listViews(database, theirs)).toEqual([]);
  });
});

describe('boards', () => {
  test('an organisation has at most so many, and each name once', async () => {
    expect(await addBoard(database, ours, board(1), 2)).toBeUndefined();
    expect(await addBoard(database, ours, board(2, 'board 1'), 2)).toBe('name_taken');
    expect(await addBoard(database, ours, board(2), 2)).toBeUndefined();
    expect(await addBoard(database, ours, board(3), 2)).toBe('too_many');
    expect(await addBoard(database, theirs, board(4, 'board 1'), 2)).toBeUndefined();
    expect((await listBoards(database, ours)).map(({ name, panelCount }) => [name, panelCount])).toEqual([
      ['board 1', 1],
      ['board 2', 1],
    ]);
  });

  test('of changes from one version the first is stored', async () => {
    await addBoard(database, ours, board(1), 2);
    const changes = ['first', 'second'].map((name) => replaceBoard(database, ours, { ...board(1), name, changedAt: 5 }));
    expect(await Promise.all(changes)).toEqual([
      { stored: { ...board(1), name: 'first', version: 2, changedAt: 5 } },
      { refused: 'changed', version: 2 },
    ]);
    expect(await findBoard(database, ours, idOf(1))).toEqual({ ...board(1), name: 'first', version: 2, changedAt: 5 });
  });

  test('nothing shows or changes those of another organisation', async () => {
    await addBoard(database, ours, board(1), 2);
    expect(await findBoard(database, theirs, idOf(1))).toBeUndefined();
    expect(await replaceBoard(database, theirs, { ...board(1), name: 'theirs' })).toEqual({ refused: 'unknown' });
    expect(await deleteRow(database, 'boards', theirs, idOf(1))).toBe(false);
    expect(await listBoards(database, theirs)).toEqual([]);
    expect(await findBoard(database, ours, idOf(1))).toEqual(board(1));
  });
});
