import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isLocked, type ProcessLock, takeLock } from './process-lock.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = path.join(root, '.cache', `process-lock-${process.pid}`);
let folder: string;
let file: string;
const children: ChildProcess[] = [];

/** The child processes run this very source, not whatever was built last. */
beforeAll(() => {
  mkdirSync(built, { recursive: true });
  const options = ['--ignoreConfig', '--noCheck', '--rootDir', 'src', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(
    process.execPath,
    [compiler, ...options, '--rewriteRelativeImportExtensions', '--outDir', built, 'src/platform/process-lock.ts'],
    {
      cwd: root,
    },
  );
  if (run.status !== 0) throw new Error(String(run.stdout));
});

afterAll(() => rmSync(built, { recursive: true }));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-lock-'));
  file = path.join(folder, 'lock');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function take(holder: string): ProcessLock {
  const lock = takeLock(file, holder);
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`);
  return lock;
}

/** Starts a process that runs a script with `lock` at hand; settles with its first line. */
async function start(script: string): Promise<{ readonly line: string; readonly child: ChildProcess }> {
  const module = pathToFileURL(path.join(built, 'platform', 'process-lock.js')).href;
  const source = `import * as lock from ${JSON.stringify(module)};\nconst file = ${JSON.stringify(file)};\n${script}`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { line: chunk.toString().trim(), child };
}

const staying = 'setInterval(() => undefined, 1000);';

test('within a process a lock is held once, until it is released', () => {
  expect(isLocked(file)).toBe(false);
  const lock = take('first');
  expect(isLocked(file)).toBe(true);
  expect(takeLock(file, 'second')).toEqual({ heldBy: 'first' });
  expect(isLocked(file)).toBe(true);
  lock.release();
  lock.release();
  expect(isLocked(file)).toBe(false);
  take('third').release();
});

test('between processes a lock is held once, and kill -9 of the holder frees it', async () => {
  const { line, child } = await start(`const held = lock.takeLock(file, 'the child'); console.log('release' in held); ${staying}`);
  expect(line).toBe('true');
  expect(isLocked(file)).toBe(true);
  expect(takeLock(file, 'this test')).toEqual({ heldBy: 'the child' });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isLocked(file)).toBe(false);
  take('this test').release();
});

test('looking at and failing to take a lock does not loosen it for other processes', async () => {
  const lock = take('this test');
  for (let count = 0; count < 3; count += 1) {
    expect(isLocked(file)).toBe(true);
    expect('heldBy' in takeLock(file, 'second')).toBe(true);
  }
  expect((await start('console.log(lock.isLocked(file), lock.takeLock(file, "child").heldBy)')).line).toBe('true this test');
  lock.release();
  expect((await start('console.log(lock.isLocked(file), "release" in lock.takeLock(file, "child"))')).line).toBe('false true');
});

test('a lock that nobody refers to any more is not lost to the garbage collector', async () => {
  const script = `lock.takeLock(file, 'child'); for (let i = 0; i < 5; i += 1) { gc(); await new Promise(setImmediate); } console.log('collected'); ${staying}`;
  expect((await start(script)).line).toBe('collected');
  expect(isLocked(file)).toBe(true);
});

test('looking all the time does not keep the lock from whoever takes it, nor look like a holder', async () => {
  take('this test').release();
  const { line } = await start(`console.log('looking'); for (;;) lock.isLocked(file);`);
  expect(line).toBe('looking');
  for (let count = 0; count < 1000; count += 1) expect(isLocked(file)).toBe(false);
  for (let count = 0; count < 100; count += 1) take('this test').release();
});

test('looking makes no file', () => {
  expect(isLocked(file)).toBe(false);
  expect(isLocked(path.join(folder, 'nowhere', 'lock'))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock leaves no journal, and its holder is named beside it', () => {
  const lock = take('core, process 1');
  expect(readdirSync(folder).toSorted()).toEqual(['lock', 'lock.holder']);
  expect(readFileSync(`${file}.holder`, 'utf8')).toBe('core, process 1\n');
  lock.release();
});

test('a holder that could not be named is still one', () => {
  mkdirSync(`${file}.holder`);
  const lock = take('nameless');
  rmSync(`${file}.holder`, { recursive: true });
  expect(takeLock(file, 'second')).toEqual({ heldBy: 'another process' });
  writeFileSync(`${file}.holder`, '');
  expect(takeLock(file, 'second')).toEqual({ heldBy: 'another process' });
  lock.release();
});

test('a folder that is not there is an error and no lock', () => {
  expect(() => takeLock(path.join(folder, 'nowhere', 'lock'), 'x')).toThrow('nowhere');
  expect(existsSync(path.join(folder, 'nowhere'))).toBe(false);
});
