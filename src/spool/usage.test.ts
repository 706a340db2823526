import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type SpoolSpace, watchSpoolSpace } from './usage.ts';
import { segmentName } from './spool.ts';

let spool: string;
let space: SpoolSpace;
let appended = 0;
beforeEach(() => {
  spool = mkdtempSync(path.join(tmpdir(), 'gatelog-space-'));
  appended = 5000;
});
afterEach(() => {
  space.close();
  rmSync(spool, { recursive: true });
});

function watch(intervalMs = 5): void {
  space = watchSpoolSpace({ folder: spool, maxBytes: 1000, intervalMs, appendedBytes: () => appended });
}

function put(series: string, segment: number, bytes: number): void {
  mkdirSync(path.join(spool, series), { recursive: true });
  writeFileSync(path.join(spool, series, segmentName(segment)), Buffer.alloc(bytes));
}

test('the segments of all series count, and nothing else in the folder does', async () => {
  put('one', 1, 100);
  put('one', 2, 200);
  put('two', 1, 300);
  put('.gone-three', 1, 5000);
  writeFileSync(path.join(spool, 'checkpoint.json'), 'x'.repeat(5000));
  watch();
  await vi.waitFor(() => expect(space.usedBytes()).toBe(600));
  expect(space.hasFreeSpace()).toBe(true);
});

test('there is room until the bound is reached, and again when segments are gone', async () => {
  put('one', 1, 999);
  watch();
  await vi.waitFor(() => expect(space.usedBytes()).toBe(999));
  expect(space.hasFreeSpace()).toBe(true);
  put('two', 1, 1);
  await vi.waitFor(() => expect(space.hasFreeSpace()).toBe(false));
  rmSync(path.join(spool, 'one'), { recursive: true });
  await vi.waitFor(() => expect(space.usedBytes()).toBe(1));
  expect(space.hasFreeSpace()).toBe(true);
});

test('what this process appends counts at once, before the next count', async () => {
  put('one', 1, 400);
  watch(3_600_000);
  await vi.waitFor(() => expect(space.usedBytes()).toBe(400));
  appended += 599;
  expect([space.usedBytes(), space.hasFreeSpace()]).toEqual([999, true]);
  appended += 1;
  expect([space.usedBytes(), space.hasFreeSpace()]).toEqual([1000, false]);
});

test('the last eighth is not for organisations that write much', async () => {
  put('one', 1, 400);
  watch(3_600_000);
  await vi.waitFor(() => expect(space.usedBytes()).toBe(400));
  appended += 474;
  expect([space.hasFreeSpace(), space.hasSpaceForBusy()]).toEqual([true, true]);
  appended += 1;
  expect([space.hasFreeSpace(), space.hasSpaceForBusy()]).toEqual([true, false]);
});

test('beyond the bound there is a sixteenth more for what was begun before, and no more than that', async () => {
  put('one', 1, 400);
  watch(3_600_000);
  await vi.waitFor(() => expect(space.usedBytes()).toBe(400));
  appended += 662;
  expect([space.hasFreeSpace(), space.hasSpaceForParts()]).toEqual([false, true]);
  appended += 1;
  expect([space.hasFreeSpace(), space.hasSpaceForParts()]).toEqual([false, false]);
});

test('a folder that cannot be counted leaves the last count, and grows by what is appended', async () => {
  put('one', 1, 400);
  watch();
  await vi.waitFor(() => expect(space.usedBytes()).toBe(400));
  rmSync(spool, { recursive: true });
  writeFileSync(spool, '');
  appended += 100;
  expect(space.usedBytes()).toBe(500);
  rmSync(spool);
  mkdirSync(spool);
  await vi.waitFor(() => expect(space.usedBytes()).toBe(0));
});
