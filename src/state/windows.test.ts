import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Environment, openEnvironment } from './environment.ts';
import { type Claim, Windows } from './windows.ts';

const mapBytes = 16 * 1024 * 1024;
const minute = 60_000;
let folder: string;
let environment: Environment;
let windows: Windows;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-state-'));
  environment = openEnvironment(folder, mapBytes, () => undefined);
  windows = new Windows(environment);
});

afterEach(async () => {
  await environment.close();
  rmSync(folder, { recursive: true });
});

const claimOf = (amount: bigint, quota = 10n, name = 'a', windowMs = minute): Claim => ({
  name: ['limit', name],
  quota: { amount: quota, windowMs },
  amount,
});

describe('a window', () => {
  it('begins with its first claim and grants its quota, no more', () => {
    expect(windows.claim([claimOf(4n)], 1000)).toMatchObject({ granted: true, standings: [{ left: 6n, endsAt: 61_000 }] });
    expect(windows.claim([claimOf(6n)], 2000)).toMatchObject({ granted: true, standings: [{ left: 0n, endsAt: 61_000 }] });
    expect(windows.claim([claimOf(1n)], 60_999)).toMatchObject({ granted: false, refused: 0, taken: [] });
  });

  it('refuses what is left of the quota when more is asked for, and takes nothing then', () => {
    windows.claim([claimOf(8n)], 0);
    expect(windows.claim([claimOf(3n)], 1)).toMatchObject({ granted: false, standings: [{ left: 0n }] });
    expect(windows.claim([claimOf(2n)], 2).granted).toBe(true);
  });

  it('ends: the next claim begins a new one', () => {
    windows.claim([claimOf(10n)], 1000);
    expect(windows.claim([claimOf(10n)], 61_000)).toMatchObject({ granted: true, standings: [{ left: 0n, endsAt: 121_000 }] });
  });

  it('is not made longer by a clock that is set back', () => {
    windows.claim([claimOf(10n)], 10 * minute);
    expect(windows.claim([claimOf(1n)], 9 * minute).granted).toBe(false);
    expect(windows.claim([claimOf(1n)], 9 * minute - 1).granted).toBe(true);
  });

  it('of another name or another length is another one', () => {
    windows.claim([claimOf(10n)], 0);
    expect(windows.claim([claimOf(10n, 10n, 'b')], 0).granted).toBe(true);
    expect(windows.claim([claimOf(10n, 10n, 'a', 2 * minute)], 0).granted).toBe(true);
  });

  it('takes names of any length', () => {
    expect(windows.claim([claimOf(10n, 10n, 'n'.repeat(10_000))], 0).granted).toBe(true);
    expect(windows.claim([claimOf(1n, 10n, 'n'.repeat(10_000))], 0).granted).toBe(false);
    expect(windows.claim([claimOf(1n, 10n, `${'n'.repeat(10_000)}m`)], 0).granted).toBe(true);
  });

  it('counts amounts beyond 2⁵³ exactly', () => {
    const quota = 2n ** 60n;
    windows.claim([claimOf(quota - 1n, quota)], 0);
    expect(windows.claim([claimOf(1n, quota)], 0)).toMatchObject({ granted: true, standings: [{ left: 0n }] });
    expect(windows.claim([claimOf(1n, quota)], 0).granted).toBe(false);
  });
});

describe('several claims', () => {
  it('are granted together or not at all', () => {
    windows.claim([claimOf(10n, 10n, 'narrow')], 0);
    const verdict = windows.claim([claimOf(5n, 10n, 'wide'), claimOf(1n, 10n, 'narrow')], 1);
    expect(verdict).toMatchObject({ granted: false, refused: 1, standings: [{ left: 10n }, { left: 0n }] });
    expect(windows.claim([claimOf(10n, 10n, 'wide')], 2).granted).toBe(true);
  });
});

describe('a settlement', () => {
  it('gives back what was reserved and not used', () => {
    const { taken } = windows.claim([claimOf(8n)], 0);
    windows.settle(taken, () => 3n);
    expect(windows.claim([claimOf(7n)], 1)).toMatchObject({ granted: true, standings: [{ left: 0n }] });
  });

  it('counts what came to more than was reserved, so that nothing is granted any more', () => {
    const { taken } = windows.claim([claimOf(2n)], 0);
    windows.settle(taken, () => 12n);
    expect(windows.claim([claimOf(0n)], 1)).toMatchObject({ granted: false, standings: [{ left: 0n }] });
  });

  it('that comes after the end of its window changes nothing', () => {
    const { taken } = windows.claim([claimOf(8n)], 0);
    windows.claim([claimOf(1n)], minute);
    windows.settle(taken, () => 0n);
    expect(windows.claim([claimOf(9n)], minute + 1)).toMatchObject({ granted: true, standings: [{ left: 0n }] });
  });

  it('that never comes leaves the reservation counted in full', () => {
    windows.claim([claimOf(8n)], 0);
    expect(windows.claim([claimOf(3n)], minute - 1).granted).toBe(false);
  });
});

it('clears away windows that have ended', () => {
  for (let index = 0; index < 500; index += 1) windows.claim([claimOf(1n, 10n, `user ${index}`)], 0);
  for (let index = 0; index < 2000; index += 1) windows.claim([claimOf(1n, 10n, 'later', 1)], 2 * minute + index);
  expect(environment.openDB({ name: 'windows' }).getCount()).toBeLessThan(3);
});

describe('between processes', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const built = path.join(root, '.cache', `state-windows-${process.pid}`);

  /** The child processes run this very source, not whatever was built last. */
  beforeAll(() => {
    mkdirSync(built, { recursive: true });
    const options = ['--ignoreConfig', '--noCheck', '--rootDir', 'src', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const files = ['src/state/windows.ts', 'src/state/environment.ts'];
    const compilation = spawnSync(
      process.execPath,
      [compiler, ...options, '--rewriteRelativeImportExtensions', '--outDir', built, ...files],
      { cwd: root },
    );
    if (compilation.status !== 0) throw new Error(String(compilation.stdout));
  });
  afterAll(() => rmSync(built, { recursive: true }));

  /** A process that claims one unit of a hundred, `times` times or without end, and says how many were granted. */
  const claimer = (times: number): string => `
    import { openEnvironment } from ${JSON.stringify(pathToFileURL(path.join(built, 'state', 'environment.js')).href)};
    import { Windows } from ${JSON.stringify(pathToFileURL(path.join(built, 'state', 'windows.js')).href)};
    const windows = new Windows(openEnvironment(${JSON.stringify(folder)}, ${mapBytes}, () => undefined));
    const claim = { name: ['shared'], quota: { amount: ${times === Infinity ? '2n ** 60n' : '100n'}, windowMs: 3_600_000 }, amount: 1n };
    process.stdout.write('ready ');
    let granted = 0;
    for (let index = 0; index < ${times}; index += 1) if (windows.claim([claim], 1000).granted) granted += 1;
    process.stdout.write(String(granted));
    process.exit(0);
  `;
  const start = (times: number) =>
    spawn(process.execPath, ['--input-type=module', '-e', claimer(times)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = async (child: ReturnType<typeof start>): Promise<string> => (await child.stdout.toArray()).join('');

  it('a quota of 100 grants exactly 100 of 500 claims', async () => {
    const counts = await Promise.all(Array.from({ length: 4 }, async () => Number((await said(start(125))).split(' ')[1])));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
  });

  it('the death of one in the middle of a claim stops no other', async () => {
    const child = start(Infinity);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const killed = new Promise((resolve) => child.once('exit', resolve));
    setImmediate(() => child.kill('SIGKILL'));
    await killed;
    expect(windows.claim([{ name: ['shared'], quota: { amount: 2n ** 60n, windowMs: 3_600_000 }, amount: 1n }], 1000).granted).toBe(true);
  });
});
