import { setTimeout as wait } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { insertLines } from '../insert/insert.ts';
import { runWrite, watchMerges } from './disk-space.ts';
import { makeHasFreeSpace } from '../../platform/disk-space.ts';
import { openStoreRig } from '../testing/store-harness.ts';

const rig = await openStoreRig();
afterAll(() => rig.close());
let room = true;
const connections = { ...rig.connections, hasFreeSpace: () => room };

const stored = async (): Promise<number> =>
  (await rig.run<{ number: number }>('SELECT number FROM session_tags WHERE number > 100')).length;

const merge = (): Promise<'merged' | 'refused'> =>
  rig.connections
    .run('insert', (client) => client.command({ query: 'OPTIMIZE TABLE session_tags FINAL SETTINGS optimize_throw_if_noop = 1' }))
    .then(
      () => 'merged',
      () => 'refused',
    );

const until = async (wanted: 'merged' | 'refused'): Promise<void> => {
  for (let looks = 0; looks < 200 && (await merge()) !== wanted; looks += 1) await wait(50);
};

it('a disk has room while more than the spare bytes are free', () => {
  expect([0, 2 ** 60].map((spareBytes) => makeHasFreeSpace(tmpdir(), spareBytes)())).toEqual([true, false]);
  // What is to be written counts too.
  expect([1, 2 ** 60].map((bytes) => makeHasFreeSpace(tmpdir(), 0)(bytes))).toEqual([true, false]);
});

it('without room nothing is written, what is stored is read, and the next write after there is room succeeds', async () => {
  const insert = (number: number): Promise<void> =>
    insertLines(connections, 'history', {
      table: 'session_tags',
      columns: ['org_id', 'number', 'session_id'],
      lines: `[1, ${number}, "session-${number}"]`,
      token: `room-${number}`,
    });
  await insert(101);
  room = false;
  const refusal = { code: 'store_unavailable', message: expect.stringContaining('full') as string };
  await expect(insert(102)).rejects.toMatchObject(refusal);
  await expect(runWrite(connections, 'update', async () => 'written')).rejects.toMatchObject(refusal);
  expect(await stored()).toBe(1);
  room = true;
  await insert(102);
  expect(await stored()).toBe(2);
});

it('merges stand still while there is no room', async () => {
  const end = watchMerges(connections);
  room = false;
  await until('refused');
  expect(await merge()).toBe('refused');
  room = true;
  await until('merged');
  expect(await merge()).toBe('merged');
  end();
});
