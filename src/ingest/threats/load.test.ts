import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadedThreatCheck, loadThreatCheck } from './load.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, source: string): string {
  const file = path.join(folder, `${name.replaceAll(' ', '-')}.mjs`);
  writeFileSync(file, source);
  return file;
}

it('is the default export of a module, which looks at a text', async () => {
  const check = await loadThreatCheck(fileWith('good', 'export default (text) => text.length > 3'));
  expect([check('long'), check('lon')]).toEqual([true, false]);
});

it('that gives neither true nor false says so', async () => {
  const check = await loadThreatCheck(fileWith('later', 'export default async () => true'));
  expect(() => check('text')).toThrow('the threat check gave neither true nor false; it must not be async');
});

it.each([
  ['no function', 'export const check = () => true', 'has no default export that is a function: export default (text) => true or false.'],
  ['no module', 'export default (', 'cannot be loaded: '],
  ['what throws', 'throw new Error("no list")', 'cannot be loaded: no list.'],
])('a file with %s is refused with a sentence that names it', async (name, source, sentence) => {
  const file = fileWith(name, source);
  await expect(loadThreatCheck(file)).rejects.toThrow(`The file of GATELOG_THREAT_CHECK_FILE, ${file}, ${sentence}`);
});

it('a file that is not there is refused', async () => {
  await expect(loadThreatCheck(path.join(folder, 'none.mjs'))).rejects.toThrow('cannot be loaded: ');
});

it('one that has gone since the start says so of each text', async () => {
  const check = await loadedThreatCheck(path.join(folder, 'none.mjs'));
  expect(() => check('text')).toThrow('cannot be loaded: ');
});

it('an async one that fails is nothing but one that says neither', async () => {
  const check = await loadThreatCheck(fileWith('fails', 'export default async () => { throw new Error("late"); }'));
  expect(() => check('text')).toThrow('neither true nor false');
  await new Promise((resolve) => setImmediate(resolve));
});
