import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFile, ensureFolder, isSystemError, readFileIfPresent, replaceFile } from './files.ts';

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
