import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LmdbEnvironment, openEnvironment } from './lmdb.ts';
import { type Claim, type Verdict, FixedWindows, ShareTakenError } from './fixed-windows.ts';

const mapBytes = 16 * 1024 * 1024;
const minute = 60_000;
let folder: string;
let environment: LmdbEnvironment;
let windows: FixedWindows;
let calls = 0;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-state-'));
  environment = openEnvironment(folder, mapBytes, () => undefined);
  windows = new FixedWindows(environment, mapBytes);
  calls = 0;
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

/** Claims under the name of the call `call-1`, then `call-2`, and so on. */
function claim(claims: readonly Claim[], now: number): Verdict {
  calls += 1;
  return windows.claim(claims, now, ['org', `call-${calls}`]);
}

const estimateOf = (...given: Parameters<typeof claimOf>): Claim => ({ ...claimOf(...given), isEstimate: true });
const settle = (call: number, amount: bigint | undefined): void => windows.settle([{ reservation: ['org', `call-${call}`], amount }]);

describe('a window', () => {
  it('begins with its first claim and grants its quota, no more', () => {
    expect(claim([claimOf(4n)], 1000)).toMatchObject({ granted: true, states: [{ left: 6n, endsAt: 61_000 }] });
    expect(claim([claimOf(6n)], 2000)).toMatchObject({ granted: true, states: [{ left: 0n, endsAt: 61_000 }] });
    expect(claim([claimOf(1n)], 60_999)).toMatchObject({ granted: false, refused: 0, reserved: false });
  });

  it('refuses what is left of the quota when more is asked for, and takes nothing then', () => {
    claim([claimOf(8n)], 0);
    expect(claim([claimOf(3n)], 1)).toMatchObject({ granted: false, states: [{ left: 0n }] });
    expect(claim([claimOf(2n)], 2).granted).toBe(true);
  });

  it('ends: the next claim begins a new one', () => {
    claim([claimOf(10n)], 1000);
    expect(claim([claimOf(10n)], 61_000)).toMatchObject({ granted: true, states: [{ left: 0n, endsAt: 121_000 }] });
  });

  it('is not made longer by a clock that is set back', () => {
    claim([claimOf(10n)], 10 * minute);
    expect(claim([claimOf(1n)], 9 * minute).granted).toBe(false);
    expect(claim([claimOf(1n)], 9 * minute - 1).granted).toBe(true);
  });

  it('of another name or another length is another one', () => {
    claim([claimOf(10n)], 0);
    expect(claim([claimOf(10n, 10n, 'b')], 0).granted).toBe(true);
    expect(claim([claimOf(10n, 10n, 'a', 2 * minute)], 0).granted).toBe(true);
  });

  it('takes names of any length', () => {
    expect(claim([claimOf(10n, 10n, 'n'.repeat(10_000))], 0).granted).toBe(true);
    expect(claim([claimOf(1n, 10n, 'n'.repeat(10_000))], 0).granted).toBe(false);
    expect(claim([claimOf(1n, 10n, `${'n'.repeat(10_000)}m`)], 0).granted).toBe(true);
  });

  it('counts amounts beyond 2⁵³ exactly', () => {
    const quota = 2n ** 60n;
    claim([claimOf(quota - 1n, quota)], 0);
    expect(claim([claimOf(1n, quota)], 0)).toMatchObject({ granted: true, states: [{ left: 0n }] });
    expect(claim([claimOf(1n, quota)], 0).granted).toBe(false);
  });
});

describe('a window of a calendar', () => {
  const day = 24 * 60 * minute;
  /** Of the day with a number. */
  const ofDay = (number: number, amount: bigint, more: Partial<Claim> = {}): Claim => {
    const calendar = { key: 'day UTC', startsAt: number * day, endsAt: (number + 1) * day };
    return { name: ['limit', 'a'], quota: { amount: 10n, calendar }, amount, ...more };
  };

  it('ends with its day, whenever its first claim came', () => {
    expect(claim([ofDay(1, 10n)], 2 * day - 1)).toMatchObject({ granted: true, states: [{ left: 0n, endsAt: 2 * day }] });
    expect(claim([ofDay(1, 1n)], 2 * day - 1).granted).toBe(false);
    expect(claim([ofDay(2, 1n)], 2 * day)).toMatchObject({ granted: true, states: [{ left: 9n, endsAt: 3 * day }] });
  });

  it('counts apart from one of a length, of the same length too', () => {
    claim([claimOf(10n, 10n, 'a', day)], day);
    expect(claim([ofDay(1, 10n)], day).granted).toBe(true);
    expect(claim([claimOf(1n, 10n, 'a', day)], day + 1).granted).toBe(false);
  });

  it('goes on with a claim that another worker made a moment before it began', () => {
    claim([ofDay(2, 4n)], 2 * day);
    expect(claim([ofDay(1, 4n)], 2 * day - 1).states).toMatchObject([{ left: 2n, endsAt: 3 * day }]);
    expect(claim([ofDay(2, 3n)], 2 * day + 1).granted).toBe(false);
  });

  it('does not know a call of the day before, which is settled after midnight', () => {
    claim([ofDay(1, 8n, { isEstimate: true })], 2 * day - 1);
    settle(1, 1n);
    expect(claim([ofDay(1, 0n)], 2 * day - 1).states).toMatchObject([{ left: 9n }]);
    claim([ofDay(1, 8n, { isEstimate: true })], 2 * day - 1);
    claim([ofDay(2, 5n)], 2 * day);
    settle(3, 0n);
    expect(claim([ofDay(2, 0n)], 2 * day).states).toMatchObject([{ left: 5n }]);
  });

  it('survives the process that made it', async () => {
    claim([ofDay(1, 8n)], day);
    await environment.close();
    environment = openEnvironment(folder, mapBytes, () => undefined);
    windows = new FixedWindows(environment, mapBytes);
    expect(claim([ofDay(1, 3n)], day + 1).granted).toBe(false);
    expect(claim([ofDay(1, 2n)], day + 1).granted).toBe(true);
  });
});

describe('several claims', () => {
  it('are granted together or not at all', () => {
    claim([claimOf(10n, 10n, 'narrow')], 0);
    const verdict = claim([claimOf(5n, 10n, 'wide'), claimOf(1n, 10n, 'narrow')], 1);
    expect(verdict).toMatchObject({ granted: false, refused: 1, states: [{ left: 10n }, { left: 0n }] });
    expect(claim([claimOf(10n, 10n, 'wide')], 2).granted).toBe(true);
  });
});

describe('a reservation', () => {
  it('is replaced by what it came to', () => {
    expect(claim([estimateOf(8n)], 0).reserved).toBe(true);
    settle(1, 3n);
    expect(claim([claimOf(7n)], 1)).toMatchObject({ granted: true, states: [{ left: 0n }] });
  });

  it('is settled once, however often that is asked for', () => {
    claim([estimateOf(8n)], 0);
    for (let times = 0; times < 3; times += 1) settle(1, 3n);
    expect(claim([claimOf(0n)], 1).states).toMatchObject([{ left: 7n }]);
  });

  it('counts what came to more than was reserved, so that nothing is granted any more', () => {
    claim([estimateOf(2n)], 0);
    settle(1, 12n);
    expect(claim([claimOf(0n)], 1)).toMatchObject({ granted: false, states: [{ left: 0n }] });
  });

  it('that is settled after the end of its window changes nothing', () => {
    claim([estimateOf(8n)], 0);
    claim([claimOf(1n)], minute);
    settle(1, 0n);
    expect(claim([claimOf(9n)], minute + 1)).toMatchObject({ granted: true, states: [{ left: 0n }] });
  });

  it('that is never settled, or with an amount that nobody knows, is counted in full', () => {
    claim([estimateOf(4n)], 0);
    claim([estimateOf(4n)], 0);
    settle(1, undefined);
    settle(1, 0n);
    expect(claim([claimOf(3n)], minute - 1).granted).toBe(false);
    expect(claim([claimOf(10n)], minute).granted).toBe(true);
  });

  it('is kept for estimates only, and of a refused call not at all', () => {
    expect(claim([claimOf(2n), estimateOf(2n, 10n, 'money')], 0).reserved).toBe(true);
    expect(claim([estimateOf(20n, 10n, 'money')], 0).reserved).toBe(false);
    settle(1, 1n);
    settle(2, 0n);
    expect(claim([claimOf(0n), claimOf(0n, 10n, 'money')], 1).states).toMatchObject([{ left: 8n }, { left: 9n }]);
  });

  it('that two quotas over one count have asked for is counted and settled once', () => {
    claim([estimateOf(4n, 10n), estimateOf(4n, 6n)], 0);
    expect(claim([claimOf(0n)], 1).states).toMatchObject([{ left: 6n }]);
    settle(1, 1n);
    expect(claim([claimOf(0n)], 1).states).toMatchObject([{ left: 9n }]);
  });

  it('survives the process that made it', async () => {
    claim([estimateOf(8n)], 0);
    await environment.close();
    environment = openEnvironment(folder, mapBytes, () => undefined);
    windows = new FixedWindows(environment, mapBytes);
    expect(claim([claimOf(3n)], 1).granted).toBe(false);
    settle(1, 2n);
    expect(claim([claimOf(8n)], 1).granted).toBe(true);
  });
});

it('clears away windows and reservations that have ended', () => {
  for (let index = 0; index < 500; index += 1) claim([estimateOf(1n, 10n, `user ${index}`)], 0);
  for (let index = 0; index < 2000; index += 1) claim([claimOf(1n, 10n, 'later', 1)], 2 * minute + index);
  for (const name of ['windows', 'reservations']) expect(environment.table(name).getCount()).toBeLessThan(3);
});

it('beyond its limit begins nothing new until what has ended is cleared away; what runs goes on', () => {
  windows = new FixedWindows(environment, 512 * 1024);
  claim([claimOf(1n, 1000n, 'running', 60 * minute)], 0);
  const fill = (): void => {
    for (let index = 0; index < 20_000; index += 1) claim([claimOf(1n, 10n, `user ${index}`)], 0);
  };
  expect(fill).toThrow('GATELOG_STATE_MAX_BYTES');
  expect(calls).toBeLessThan(10_000);
  expect(claim([claimOf(1n, 1000n, 'running', 60 * minute)], 1).granted).toBe(true);
  expect(() => claim([estimateOf(1n, 1000n, 'running', 60 * minute)], 1)).toThrow('GATELOG_STATE_MAX_BYTES');
  for (let left = calls + 200; left > 0; left -= 1) claim([claimOf(0n, 1000n, 'running', 60 * minute)], minute);
  expect(claim([claimOf(1n, 10n, 'new')], minute).granted).toBe(true);
});

const ofOrganization = (organizationId: string, user: string, now: number): Verdict => {
  calls += 1;
  const name = [organizationId, user];
  return windows.claim([{ name, quota: { amount: 10n, windowMs: 60 * minute }, amount: 1n, isEstimate: true }], now, [
    organizationId,
    `call-${calls}`,
  ]);
};
/** What counts for an organisation. */
const held = (organizationId: string): unknown => environment.table('held').get([organizationId]);

const fill = (organizationId: string): void => {
  for (let index = 0; index < 20_000; index += 1) ofOrganization(organizationId, `user ${index}`, 0);
};

describe('the windows of one organisation', () => {
  it('take no more than its share, so that others begin theirs; what runs goes on, and there is room once some have ended', () => {
    windows = new FixedWindows(environment, 512 * 1024, 75);
    expect(() => fill('greedy')).toThrow(ShareTakenError);
    expect(calls).toBeGreaterThan(500);
    expect(() => ofOrganization('greedy', 'further', 1)).toThrow(ShareTakenError);
    for (let user = 0; user < 50; user += 1) expect(ofOrganization('other', `user ${user}`, 1).granted).toBe(true);
    expect(
      windows.claim([{ name: ['greedy', 'user 0'], quota: { amount: 10n, windowMs: 60 * minute }, amount: 1n }], 1, ['greedy', 'x'])
        .granted,
    ).toBe(true);
    expect(() => fill('other')).toThrow(ShareTakenError);
    expect(ofOrganization('third', 'user', 1).granted).toBe(true);
    for (let left = 2 * calls; left > 0; left -= 1) claim([claimOf(0n, 10n, 'later')], 61 * minute);
    expect(ofOrganization('greedy', 'further', 61 * minute).granted).toBe(true);
    expect(held('greedy')).toBe(2);
  });

  it('and what was set aside for its calls count once, and no more when it is settled', () => {
    claim([estimateOf(1n), estimateOf(1n, 20n), claimOf(1n, 10n, 'other')], 0);
    claim([estimateOf(1n)], 0);
    expect(held('org')).toBe(4);
    for (let times = 0; times < 2; times += 1) settle(calls, 1n);
    expect(held('org')).toBe(3);
  });
});

describe('between processes', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const built = path.join(root, '.cache', `state-windows-${process.pid}`);

  /** The child processes run this very source, not whatever was built last. */
  beforeAll(() => {
    mkdirSync(built, { recursive: true });
    const options = ['--ignoreConfig', '--noCheck', '--rootDir', 'src', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const files = ['src/state/fixed-windows.ts', 'src/state/lmdb.ts'];
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
    import { openEnvironment } from ${JSON.stringify(pathToFileURL(path.join(built, 'state', 'lmdb.js')).href)};
    import { FixedWindows } from ${JSON.stringify(pathToFileURL(path.join(built, 'state', 'fixed-windows.js')).href)};
    const windows = new FixedWindows(openEnvironment(${JSON.stringify(folder)}, ${mapBytes}, () => undefined), ${mapBytes});
    const claim = { name: ['shared'], quota: { amount: ${times === Infinity ? '2n ** 60n' : '100n'}, windowMs: 3_600_000 }, amount: 1n };
    process.stdout.write('ready ');
    let granted = 0;
    for (let index = 0; index < ${times}; index += 1) if (windows.claim([claim], 1000, ['org', 'call']).granted) granted += 1;
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
    expect(
      windows.claim([{ name: ['shared'], quota: { amount: 2n ** 60n, windowMs: 3_600_000 }, amount: 1n }], 1000, ['org', 'call']).granted,
    ).toBe(true);
  });
});
