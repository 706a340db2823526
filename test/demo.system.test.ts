import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { eventually } from './support/eventually.ts';
import { ownEnvironment } from './support/own-environment.ts';
import { program } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';

function folders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('gatelog-demo-'));
}

const named: string[] = [];
afterAll(() => named.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder for a setting to name. */
function namedFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-named-'));
  named.push(folder);
  return folder;
}

it('shows teams with what they cost, a session that was most expensive, and nothing is left of it after Ctrl-C', async () => {
  const port = await stablePort();
  const before = new Set(folders());
  const demo = spawn(process.execPath, [program, 'demo', '--requests', '600'], {
    env: { ...ownEnvironment(), GATELOG_GATEWAY_PORT: String(port), GATELOG_API_PORT: String(port + 1) },
  });
  const ended = once(demo, 'exit');
  let printed = '';
  demo.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  try {
    await eventually('the demo is filled', () => (printed.includes('Dashboard') ? true : undefined), 120_000);
    const [, apiKey = ''] = /^Key\s+(\S+)$/m.exec(printed) ?? [];
    const gatelog = createClient({ apiUrl: `http://127.0.0.1:${port + 1}`, apiKey });
    const { data: teams } = await gatelog.metrics.query({ metrics: ['cost', 'count'], groupBy: [{ property: 'Team' }], totals: true });
    const names = teams.map((row) => ('properties.Team' in row ? row['properties.Team'] : null));
    expect(names).toEqual(expect.arrayContaining(['search', 'support', 'platform', 'finance']));
    expect(teams.find(({ total }) => total)?.cost).toBeGreaterThan(0);
    const { data: sessions } = await gatelog.sessions.query({ sort: { total_cost: 'desc' }, limit: 1 });
    expect(sessions[0]).toMatchObject({ session_name: 'Find out why the nightly export is slow' });
    expect(Number(sessions[0]?.total_requests)).toBeGreaterThan(64);
    expect((await gatelog.boards.list()).data.map(({ name }) => name)).toEqual(['Spend']);
  } finally {
    // As from a terminal by way of npm, which sends it on. A process that is just ending has no listener for it any more.
    demo.kill('SIGINT');
    demo.kill('SIGINT');
    setTimeout(() => demo.kill('SIGINT'), 50);
  }
  expect(await ended).toEqual([0, null]);
  expect(folders().filter((name) => !before.has(name))).toEqual([]);
  await expect(fetch(`http://127.0.0.1:${port + 1}/healthz`)).rejects.toThrow('fetch failed');
});

it.each([
  ['Ctrl-C', 'SIGINT'],
  ['a terminal that is closed', 'SIGHUP'],
] as const)('%s while it fills leaves nothing either, also of a folder that a setting names', async (_what, signal) => {
  const port = await stablePort();
  const dataDir = path.join(namedFolder(), 'data');
  const demo = spawn(process.execPath, [program, 'demo', '--requests', '600', '--port', String(port)], {
    env: { ...ownEnvironment(), GATELOG_DATA_DIR: dataDir },
  });
  const ended = once(demo, 'exit');
  await eventually(
    'its service is up',
    async () => (await fetch(`http://127.0.0.1:${port + 1}/readyz`).catch(() => undefined))?.ok,
    60_000,
  );
  expect(existsSync(dataDir)).toBe(true);
  // Of a terminal that is gone nothing can be written.
  demo.stdout.destroy();
  demo.stderr.destroy();
  demo.kill(signal);
  demo.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect(existsSync(dataDir)).toBe(false);
});

it('a folder that holds something is left alone', async () => {
  const dataDir = namedFolder();
  writeFileSync(path.join(dataDir, 'mine.txt'), 'mine');
  const demo = spawn(process.execPath, [program, 'demo'], { env: { ...ownEnvironment(), GATELOG_DATA_DIR: dataDir } });
  let said = '';
  demo.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  expect(await once(demo, 'close')).toEqual([1, null]);
  expect(said).toContain('which is not empty, and the demo removes its folder at the end');
  expect(readdirSync(dataDir)).toEqual(['mine.txt']);
});

it('an export from a service that never was ends at once', async () => {
  const port = await stablePort();
  const exporting = spawn(process.execPath, [program, 'export', '--output', '-'], {
    env: { ...ownEnvironment(), GATELOG_API_PORT: String(port), GATELOG_API_KEY: 'sk-svc-us-none' },
  });
  let said = '';
  exporting.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  expect(await once(exporting, 'close')).toEqual([5, null]);
  expect(said).toContain(`No Gatelog answers at http://127.0.0.1:${port}`);
  expect(said).not.toContain('goes on when');
});
