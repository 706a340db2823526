import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type UnsplitFrame, writeAtomicSeries } from './import-series.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-whole-series-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const frame = (kind: number): UnsplitFrame => ({ kind, stream: 1, stamp: 0, payload: Buffer.from('a body') });

test('a series that cannot be written whole leaves nothing of what was written', () => {
  const noKind = 0;
  expect(() => writeAtomicSeries(folder, 'replay-1', [frame(1), frame(noKind)])).toThrow('kind 0');
  expect(readdirSync(folder)).toEqual([]);
  writeAtomicSeries(folder, 'replay-1', [frame(1)]);
  expect(readdirSync(folder)).toEqual(['replay-1']);
});

test('one that is there already stays as it is, and nothing of the other is left', () => {
  writeAtomicSeries(folder, 'replay-1', [frame(1)]);
  expect(() => writeAtomicSeries(folder, 'replay-1', [frame(2)])).toThrow('ENOTEMPTY');
  expect(readdirSync(folder)).toEqual(['replay-1']);
});
