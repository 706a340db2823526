import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFile, ensureFolder, isSystemError, readFileIfPresent, removeUnfinished, replaceFile } from './files.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-files-'));
  file = path.join(folder, 'file');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a file is replaced whole, for its owner only, and nothing stays beside it', () => {
  writeFileSync(file, 'a much longer text than the next one', { mode: 0o644 });
  replaceFile(file, 'é😀');
  expect(readFileSync(file, 'utf8')).toBe('é😀');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  replaceFile(file, '');
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(readdirSync(folder)).toEqual(['file']);
});

test('a replacement that fails leaves what was there and nothing else', () => {
  mkdirSync(file);
  expect(() => replaceFile(file, 'text')).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['file']);
  expect(() => replaceFile(path.join(folder, 'nowhere', 'file'), 'text')).toThrow('ENOENT');
});

test('a file is made once, whole and for its owner only; who comes later leaves it as it is', () => {
  expect([createFile(file, 'first'), createFile(file, 'second')]).toEqual([true, false]);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777, readdirSync(folder)]).toEqual(['first', 0o600, ['file']]);
  expect(() => createFile(path.join(folder, 'nowhere', 'file'), 'text')).toThrow('ENOENT');
});

const die = (): never => {
  throw new Error('the process is dead');
};

/** Runs `work` as far as a process comes that is killed once it has written a file, and before that has its name. */
function killedBeforeName(work: () => void): void {
  const { linkSync, renameSync, rmSync: remove } = fs;
  Object.assign(fs, { linkSync: die, renameSync: die, rmSync: () => undefined });
  syncBuiltinESMExports();
  try {
    expect(work).toThrow('the process is dead');
  } finally {
    Object.assign(fs, { linkSync, renameSync, rmSync: remove });
    syncBuiltinESMExports();
  }
}

test('what a kill leaves of files that were being written is removed, unless it is so young that it may be in the making', () => {
  mkdirSync(path.join(folder, '.new-series.0f8fad5b-d9cb-469f-a165-70867728950e'));
  writeFileSync(path.join(folder, '.hidden'), '');
  const others = readdirSync(folder);
  killedBeforeName(() => replaceFile(file, 'a letter'));
  killedBeforeName(() => createFile(path.join(folder, 'secret.key'), 'a secret'));
  const left = readdirSync(folder).filter((name) => !others.includes(name));
  expect(left.map((name) => readFileSync(path.join(folder, name), 'utf8')).toSorted()).toEqual(['a letter', 'a secret']);
  for (const name of left) utimesSync(path.join(folder, name), 1000, 1000);
  removeUnfinished(folder, 1_000_000);
  expect(readdirSync(folder)).toHaveLength(others.length + 2);
  removeUnfinished(folder, 1_000_001);
  expect(readdirSync(folder)).toEqual(others);
});

test('an absent file has no text; any other trouble is an error', () => {
  expect(readFileIfPresent(file)).toBeUndefined();
  expect(() => readFileIfPresent(folder)).toThrow('EISDIR');
});

test('a folder comes with its parents, for this user only', () => {
  const deep = path.join(folder, 'a', 'b');
  ensureFolder(deep);
  ensureFolder(deep);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
});

test('an error of the system has a code', () => {
  expect(isSystemError(Object.assign(new Error('x'), { code: 'EIO' }))).toBe(true);
  expect([new Error('x'), { code: 'EIO' }, undefined].some(isSystemError)).toBe(false);
});
