import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { LogSync } from './log-sync.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-log-sync-'));
const database = path.join(folder, 'some.db');
writeFileSync(`${database}-wal`, 'log');

afterAll(() => rmSync(folder, { recursive: true }));

/** Syncs that end when the test says so. */
function heldSyncs() {
  const ends: ((error?: Error) => void)[] = [];
  const log = new LogSync(
    database,
    () => new Promise<void>((resolve, reject) => void ends.push((error) => (error === undefined ? resolve() : reject(error)))),
  );
  const untilBegun = async (count: number): Promise<void> => {
    while (ends.length < count) await nextTurn();
  };
  return { log, ends, untilBegun };
}

it('commits that come while a sync runs share the next one', async () => {
  const { log, ends, untilBegun } = heldSyncs();
  const done: string[] = [];
  void log.synced().then(() => done.push('first'));
  await untilBegun(1);
  void log.synced().then(() => done.push('second'));
  void log.synced().then(() => done.push('third'));
  ends[0]?.();
  await untilBegun(2);
  expect(done).toEqual(['first']);
  ends[1]?.();
  await log.close();
  expect(done).toEqual(['first', 'second', 'third']);
  expect(ends).toHaveLength(2);
});

it('a failure is that of the commits that waited for it, and of no later ones', async () => {
  const { log, ends, untilBegun } = heldSyncs();
  const failing = log.synced();
  await untilBegun(1);
  const later = log.synced();
  ends[0]?.(new Error('the disk is gone'));
  await expect(failing).rejects.toThrow('the disk is gone');
  await untilBegun(2);
  ends[1]?.();
  await later;
  await log.close();
});

it('a log that cannot be opened is a failure, and is tried again', async () => {
  const missing = path.join(folder, 'later.db');
  const log = new LogSync(missing);
  await expect(log.synced()).rejects.toThrow('ENOENT');
  writeFileSync(`${missing}-wal`, 'log');
  await log.synced();
  await log.close();
});
